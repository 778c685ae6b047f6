// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/store.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fault_point.hpp"
#include "base/log.hpp"
#include "checkpoint/content.hpp"
#include "checkpoint/file_format.hpp"
#include "source/input_file.hpp"
#include "source/output_file.hpp"
#include "source/system_error.hpp"

namespace stowage::checkpoint {
namespace {

std::string made(std::string folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(STOWAGE_IO_ERROR, "cannot make the checkpoint folder {}: {}", folder, error.message());
  return folder;
}

StoreOptions checked(const StoreOptions& options) {
  if (options.base_every < 1 || options.keep < 1) {
    fail(STOWAGE_INVALID_ARGUMENT, "expected checkpoints with base_every and keep of at least 1, found {} and {}",
         options.base_every, options.keep);
  }
  return options;
}

void compare_with_disk(const source::OutputFile& file, ByteView expected) {
  // Asks the system to forget its copy, so that the bytes come from the disk; not every file system does.
  ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
  Bytes found(expected.size());
  source::pread_exact(file.fd(), file.temporary(), 0, found);
  const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return;
  fail(STOWAGE_IO_ERROR,
       "{}: offset {}: read back after writing: expected byte {:02x}, found {:02x}; the disk is at fault", file.path(),
       at - found.begin(), static_cast<unsigned>(*other), static_cast<unsigned>(*at));
}

}  // namespace

Store::Store(std::string folder, const StoreOptions& options)
    : folder_(made(std::move(folder))), options_(checked(options)), lock_(folder_) {
  const std::vector<Generation> generations = generations_in(folder_);
  if (!generations.empty()) next_number_ = generations.back().number + 1;
  if (lock_.held()) remove_temporaries();
}

void Store::remove_temporaries() const {
  for (const std::string& path : temporaries_in(folder_)) remove_file(path);
}

Encoded Store::encode(const Checkpoint& checkpoint) {
  const bool same_fingerprint = last_ && last_->checkpoint.fingerprint == checkpoint.fingerprint;
  const bool difference =
      same_fingerprint && last_->distance + 1 < options_.base_every &&
      can_differ(last_->checkpoint.state, last_->checkpoint.inputs, checkpoint.state, checkpoint.inputs);
  const Kind kind = difference ? Kind::difference : Kind::base;
  // A number is used once, also if its file never appears.
  const std::uint64_t number = next_number_++;
  const std::uint64_t step = checkpoint.state.step;

  Encoded encoded;
  encoded.generation = {number, step, kind, path_of(folder_, number, step, kind)};
  encoded.fingerprint_digest = same_fingerprint ? last_->fingerprint : digest_of(checkpoint.fingerprint);
  encoded.content = content_digest(encoded.fingerprint_digest, checkpoint.state, checkpoint.inputs);
  encoded.state = checkpoint.state;
  encoded.inputs = checkpoint.inputs;
  Header header{number, encoded.content, 0, {}};
  if (difference) {
    encoded.distance = last_->distance + 1;
    header.parent_generation = last_->generation.number;
    header.parent_content = last_->content;
    encoded.bytes = checkpoint::encode(
        header,
        difference_between(last_->checkpoint.state, last_->checkpoint.inputs, checkpoint.state, checkpoint.inputs),
        encoded.generation.path);
  } else {
    if (!same_fingerprint) encoded.fingerprint = checkpoint.fingerprint;
    encoded.bytes = checkpoint::encode(header, checkpoint, encoded.generation.path);
  }
  return encoded;
}

Generation Store::publish(Encoded encoded) {
  {
    source::OutputFile file(encoded.generation.path);
    file.append(encoded.bytes);
    fault_point("writing_checkpoint");
    file.sync();
    compare_with_disk(file, encoded.bytes);
    file.publish();
  }
  if (!last_) last_ = Published{};
  last_->generation = encoded.generation;
  last_->content = encoded.content;
  last_->distance = encoded.distance;
  last_->fingerprint = encoded.fingerprint_digest;
  last_->checkpoint.state = std::move(encoded.state);
  last_->checkpoint.inputs = std::move(encoded.inputs);
  if (encoded.fingerprint) last_->checkpoint.fingerprint = *std::move(encoded.fingerprint);
  rotate();
  return encoded.generation;
}

void Store::rotate() const {
  try {
    const std::vector<Generation> generations = generations_in(folder_);
    const std::span<const Generation> old = superfluous(generations, options_.keep);
    remove_generations({old.begin(), old.end()});
  } catch (const Error& error) {
    log().warn("old checkpoints stay where they are: {}", error.what());
  }
}

}  // namespace stowage::checkpoint
