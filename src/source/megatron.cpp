// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "source/contents.hpp"
#include "source/input_file.hpp"
#include "source/megatron_format.hpp"

namespace stowage::source {
namespace {

using namespace megatron;

template <typename T>
T load(const InputFile& file, std::uint64_t offset) {
  T value;
  file.read(offset, std::as_writable_bytes(std::span<T, 1>(&value, 1)));
  return value;
}

// Calls visit(i, value) for the `count` values of an array of the file, read in large pieces.
template <typename T, typename Visit>
void for_each_value(const InputFile& file, std::uint64_t offset, std::uint64_t count, Visit&& visit) {
  constexpr std::uint64_t kPiece = (std::uint64_t{4} << 20) / sizeof(T);
  std::vector<T> piece(std::min(kPiece, count));
  for (std::uint64_t first = 0; first < count; first += piece.size()) {
    const std::span<T> values = std::span(piece).first(std::min<std::uint64_t>(piece.size(), count - first));
    file.read(offset + first * sizeof(T), std::as_writable_bytes(values));
    for (std::size_t i = 0; i < values.size(); ++i) visit(first + i, values[i]);
  }
}

struct Header {
  TokenType type;
  std::uint64_t sequences;
  std::uint64_t boundaries;

  std::uint64_t lengths_offset() const noexcept { return kHeaderBytes; }
  std::uint64_t pointers_offset() const noexcept { return lengths_offset() + 4 * sequences; }
  std::uint64_t documents_offset() const noexcept { return pointers_offset() + 8 * sequences; }
  std::uint64_t modes_offset() const noexcept { return documents_offset() + 8 * boundaries; }
};

TokenType read_type(const InputFile& idx) {
  const auto code = load<std::uint8_t>(idx, kTypeOffset);
  const auto known = std::ranges::find(kTypeCodes, code, [](const auto& entry) { return entry.first; });
  if (known == kTypeCodes.end()) {
    fail(STOWAGE_DATA_ERROR,
         "{}: offset {}: expected a token type code of 1 (u8), 2 (i8), 3 (i16), 4 (i32), 5 (i64) or 8 (u16), found "
         "{}{}",
         idx.path(), kTypeOffset, code,
         code == 6   ? " (f64)"
         : code == 7 ? " (f32)"
                     : "");
  }
  return known->second;
}

void check_magic(const InputFile& idx) {
  std::array<char, kMagic.size()> found{};
  idx.read(0, std::as_writable_bytes(std::span(found)));
  if (!std::ranges::equal(found, kMagic)) {
    std::string printable(found.begin(), found.end());
    std::ranges::replace_if(
        printable, [](char c) { return c < ' ' || c > '~'; }, '.');
    fail(STOWAGE_DATA_ERROR, "{}: offset 0: expected the magic 'MMIDIDX', found '{}'; this is no Megatron index",
         idx.path(), printable);
  }
  if (const auto version = load<std::uint64_t>(idx, kVersionOffset); version != kVersion) {
    fail(STOWAGE_DATA_ERROR, "{}: offset {}: expected version {}, found {}", idx.path(), kVersionOffset, kVersion,
         version);
  }
}

// The counts are not trusted before they are seen to fit the file, so that none of the offsets can overflow.
Header read_header(const InputFile& idx) {
  if (idx.size() < kHeaderBytes) {
    fail(STOWAGE_DATA_ERROR, "{}: expected a header of {} bytes, found a file of {}; the file is truncated", idx.path(),
         kHeaderBytes, idx.size());
  }
  check_magic(idx);
  const Header header{read_type(idx), load<std::uint64_t>(idx, kSequencesOffset),
                      load<std::uint64_t>(idx, kBoundariesOffset)};
  const std::uint64_t room = idx.size() - kHeaderBytes;
  if (header.sequences > room / 12 || header.boundaries > (room - 12 * header.sequences) / 8) {
    fail(STOWAGE_DATA_ERROR,
         "{}: expected room for the {} sequences and {} document boundaries that the header counts, found a file of {} "
         "bytes; the file is truncated or its header is damaged",
         idx.path(), header.sequences, header.boundaries, idx.size());
  }
  return header;
}

// Whether mode bytes follow: no flag tells, the file's size does.
bool read_has_modes(const InputFile& idx, const Header& header) {
  const std::uint64_t plain = header.modes_offset();
  if (idx.size() == plain) return false;
  if (idx.size() - plain == header.sequences) return true;
  fail(STOWAGE_DATA_ERROR,
       "{}: expected {} bytes for {} sequences and {} document boundaries (or {} with one mode byte a sequence), found "
       "{}; the file is too long or its header is damaged",
       idx.path(), plain, header.sequences, header.boundaries, plain + header.sequences, idx.size());
}

std::vector<std::uint64_t> read_begin(const InputFile& idx, const Header& header) {
  std::vector<std::uint64_t> begin(header.sequences + 1);
  for_each_value<std::int32_t>(
      idx, header.lengths_offset(), header.sequences, [&](std::uint64_t sequence, std::int32_t length) {
        if (length < 0) {
          fail(STOWAGE_DATA_ERROR, "{}: offset {}: sequence {}: expected a length >= 0, found {}", idx.path(),
               header.lengths_offset() + 4 * sequence, sequence, length);
        }
        begin[sequence + 1] = begin[sequence] + static_cast<std::uint64_t>(length);
      });
  return begin;
}

void check_token_file(const InputFile& idx, const InputFile& bin, const Shard& shard) {
  const std::uint64_t width = token_bytes(shard.type);
  if (bin.size() % width == 0 && bin.size() / width == shard.tokens) return;
  fail(STOWAGE_DATA_ERROR,
       "{}: expected {} tokens of {} bytes, as the lengths in {} add up to, found a file of {} bytes; {}", bin.path(),
       shard.tokens, width, idx.path(), bin.size(),
       bin.size() / width < shard.tokens ? "the file is truncated" : "the file is too long for its index");
}

void check_pointers(const InputFile& idx, const InputFile& bin, const Header& header, const Shard& shard) {
  const std::uint64_t width = token_bytes(shard.type);
  for_each_value<std::int64_t>(
      idx, header.pointers_offset(), header.sequences, [&](std::uint64_t sequence, std::int64_t pointer) {
        const std::uint64_t expected = shard.begin[sequence] * width;
        if (std::cmp_equal(pointer, expected)) return;
        const std::uint64_t bytes = (shard.begin[sequence + 1] - shard.begin[sequence]) * width;
        const bool inside = pointer >= 0 && static_cast<std::uint64_t>(pointer) <= bin.size() - bytes;
        fail(STOWAGE_DATA_ERROR, "{}: offset {}: sequence {}: expected byte pointer {}, found {}, which {}", idx.path(),
             header.pointers_offset() + 8 * sequence, sequence, expected, pointer,
             inside ? "does not follow the sequence before it (not contiguous)"
                    : fmt::format("points outside the {} bytes of {}", bin.size(), bin.path()));
      });
}

std::vector<std::uint64_t> read_documents(const InputFile& idx, const Header& header) {
  std::vector<std::uint64_t> documents(header.boundaries);
  const auto refuse = [&](std::uint64_t entry, const std::string& expected, std::int64_t found) {
    fail(STOWAGE_DATA_ERROR, "{}: offset {}: document boundary {} of {}: expected {}, found {}", idx.path(),
         header.documents_offset() + 8 * entry, entry, header.boundaries, expected, found);
  };
  for_each_value<std::int64_t>(
      idx, header.documents_offset(), header.boundaries, [&](std::uint64_t entry, std::int64_t found) {
        const std::uint64_t before = entry == 0 ? 0 : documents[entry - 1];
        if (entry == 0 && found != 0) refuse(entry, "0", found);
        if (std::cmp_less(found, before)) refuse(entry, fmt::format("at least {}, the one before", before), found);
        if (std::cmp_greater(found, header.sequences)) {
          refuse(entry, fmt::format("at most {}, the number of sequences", header.sequences), found);
        }
        documents[entry] = static_cast<std::uint64_t>(found);
      });
  if (documents.empty() || documents.back() != header.sequences) {
    fail(STOWAGE_DATA_ERROR,
         "{}: expected the document index to end at {}, the number of sequences, found {}; was it merged from several "
         "files without moving its boundaries?",
         idx.path(), header.sequences, documents.empty() ? "no boundary" : std::to_string(documents.back()));
  }
  return documents;
}

}  // namespace

Contents read_megatron(const std::string& path) {
  const std::string prefix = prefix_of(path);
  const InputFile idx(idx_path(prefix));
  const InputFile bin(bin_path(prefix));
  const Header header = read_header(idx);
  Contents contents;
  contents.format = config::Format::megatron;
  contents.index_file = idx.path();
  contents.has_modes = read_has_modes(idx, header);
  if (header.sequences == 0) {
    fail(STOWAGE_DATA_ERROR, "{}: empty source: expected at least 1 sequence, found 0", idx.path());
  }
  Shard& shard = contents.shard;
  shard.token_file = bin.path();
  shard.type = header.type;
  shard.begin = read_begin(idx, header);
  shard.tokens = shard.begin.back();
  check_token_file(idx, bin, shard);
  check_pointers(idx, bin, header, shard);
  contents.documents = read_documents(idx, header);
  return contents;
}

}  // namespace stowage::source
