// SPDX-License-Identifier: Apache-2.0
#include "cli/inspection.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/histogram.hpp"
#include "cli/progress_bar.hpp"

namespace stowage::cli {
namespace {

using Json = nlohmann::ordered_json;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t token_array_bytes(const source::Shard& shard) {
  return shard.tokens * source::token_bytes(shard.type);
}

const char* format_name(config::Format format) {
  return format == config::Format::megatron ? "megatron" : "hdf5";
}

std::string documents_line(const Inspection& inspection) {
  const source::DocumentEnding& ending = inspection.ending;
  const std::string documents = with_thousands(inspection.contents.documents.size() - 1);
  if (ending.looked_at == 0) return documents;
  return fmt::format("{}; {:.1f} % of {} looked at end in token {}", documents,
                     100.0 * share(ending.count, ending.looked_at), with_thousands(ending.looked_at), ending.token);
}

std::string verified_line(const Inspection& inspection) {
  const source::Verification& verification = *inspection.verification;
  const std::string found =
      fmt::format("{} read, largest token id {}", human_bytes(verification.bytes), verification.largest_token);
  return verification.blocks > 0
             ? fmt::format("{}, {} block checksums match", found, with_thousands(verification.blocks))
             : fmt::format("{}; the format has no checksums", found);
}

std::string provenance_lines(const Inspection& inspection) {
  const auto& provenance = inspection.contents.provenance;
  if (!provenance) return {};
  const std::uint64_t vocabulary = inspection.contents.shard.vocab_size;
  std::string text = fmt::format("  vocabulary  {}{}\n", vocabulary == 0 ? "unknown" : with_thousands(vocabulary),
                                 provenance->tokenizer.empty() ? "" : fmt::format(" ({})", provenance->tokenizer));
  text += fmt::format("  written by  {}\n", provenance->tool);
  for (const std::string& input : provenance->inputs) text += fmt::format("  made from   {}\n", input);
  return text;
}

}  // namespace

Inspection inspect(const std::string& path, bool verify) {
  Inspection inspection;
  inspection.path = path;
  inspection.contents = source::read_contents(path);
  const std::vector<std::uint64_t> lengths = source::lengths_of(inspection.contents.shard.begin);
  inspection.bins = source::histogram(lengths);
  inspection.lengths = source::summarise(lengths);
  inspection.ending = source::document_ending(inspection.contents);
  if (verify) {
    ProgressBar bar("verify");
    inspection.verification = source::verify_shard(
        inspection.contents, [&](std::uint64_t done, std::uint64_t all) { bar.update(done, all, path); });
  }
  return inspection;
}

bool some_endings_are_missing(const source::DocumentEnding& ending) noexcept {
  return ending.count < ending.looked_at && ending.count > ending.looked_at / 2;
}

std::string to_text(const Inspection& inspection, std::size_t columns, bool ascii) {
  const source::Contents& contents = inspection.contents;
  const source::LengthSummary& lengths = inspection.lengths;
  std::string text = fmt::format("{}\n", inspection.path);
  text += fmt::format("  format      {}\n", contents.format == config::Format::hdf5 ? "HDF5 shard"
                                            : contents.has_modes                    ? "Megatron pair, multimodal"
                                                                                    : "Megatron pair");
  text += fmt::format("  tokens      {} of type {}, {}\n", with_thousands(contents.shard.tokens),
                      source::token_type_name(contents.shard.type), human_bytes(token_array_bytes(contents.shard)));
  text += fmt::format("  sequences   {}; {:.1f} % of length 0\n", with_thousands(lengths.count),
                      100.0 * share(lengths.zero, lengths.count));
  text += fmt::format("  documents   {}\n", documents_line(inspection));
  text += fmt::format("  length      min {}, median {}, mean {:.1f}, p90 {}, p99 {}, max {}\n", lengths.min,
                      lengths.median, lengths.mean, lengths.p90, lengths.p99, lengths.max);
  text += provenance_lines(inspection);
  if (inspection.verification) text += fmt::format("  verified    {}\n", verified_line(inspection));
  if (some_endings_are_missing(inspection.ending)) {
    text += fmt::format(
        "  warning: {:.1f} % of the documents do not end in token {}; if it marks the end of a document, "
        "they are cut or were written without it\n",
        100.0 * share(inspection.ending.looked_at - inspection.ending.count, inspection.ending.looked_at),
        inspection.ending.token);
  }
  return text + "\n  tokens a sequence, number of sequences\n" + draw_histogram(inspection.bins, columns, ascii);
}

Json to_json(const Inspection& inspection) {
  const source::Contents& contents = inspection.contents;
  const source::LengthSummary& lengths = inspection.lengths;
  Json json;
  json["path"] = inspection.path;
  json["format"] = format_name(contents.format);
  json["index_file"] = contents.index_file;
  json["token_file"] = contents.shard.token_file;
  json["dtype"] = source::token_type_name(contents.shard.type);
  json["multimodal"] = contents.has_modes;
  json["sequences"] = lengths.count;
  json["documents"] = contents.documents.size() - 1;
  json["tokens"] = contents.shard.tokens;
  json["bytes"] = token_array_bytes(contents.shard);
  json["lengths"] = {{"min", lengths.min}, {"median", lengths.median}, {"mean", lengths.mean},
                     {"p90", lengths.p90}, {"p99", lengths.p99},       {"max", lengths.max}};
  json["zero_length_share"] = share(lengths.zero, lengths.count);
  json["histogram"] = Json::array();
  for (const source::LengthBin& bin : inspection.bins) {
    json["histogram"].push_back({{"from", bin.from}, {"to", bin.to}, {"count", bin.count}});
  }
  const source::DocumentEnding& ending = inspection.ending;
  json["document_ending"] = {{"token", ending.token},
                             {"share", share(ending.count, ending.looked_at)},
                             {"looked_at", ending.looked_at},
                             {"suspicious", some_endings_are_missing(ending)}};
  if (contents.provenance) {
    json["vocab_size"] = contents.shard.vocab_size;
    json["tokenizer"] = contents.provenance->tokenizer;
    json["tool"] = contents.provenance->tool;
    json["inputs"] = contents.provenance->inputs;
  }
  if (inspection.verification) {
    json["verified"] = {{"bytes", inspection.verification->bytes},
                        {"blocks", inspection.verification->blocks},
                        {"largest_token", inspection.verification->largest_token}};
  }
  return json;
}

}  // namespace stowage::cli
