// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/content.hpp"

#include "checkpoint/columns.hpp"

namespace stowage::checkpoint {
namespace {

void add(Hasher& hasher, const std::string& text) {
  hasher.add(std::uint64_t{text.size()}).add_bytes(bytes_of(text));
}

void add(Hasher& hasher, const Digest& digest) {
  hasher.add(digest.high).add(digest.low);
}

void add(Hasher& hasher, const Fingerprint::Source& source) {
  add(hasher, source.name);
  hasher.add(source.sequences).add(source.tokens);
  add(hasher, source.index);
  hasher.add(std::uint64_t{source.files.size()});
  for (const Fingerprint::File& file : source.files) {
    add(hasher, file.path);
    hasher.add(file.bytes).add(file.modified_ns);
  }
}

}  // namespace

Digest digest_of(const Fingerprint& fingerprint) {
  Hasher hasher;
  hasher.add(std::uint64_t{fingerprint.settings.size()});
  for (const Fingerprint::Setting& setting : fingerprint.settings) {
    add(hasher, setting.key);
    add(hasher, setting.value);
  }
  hasher.add(std::uint64_t{fingerprint.sources.size()});
  for (const Fingerprint::Source& source : fingerprint.sources) add(hasher, source);
  return hasher.digest();
}

Digest content_digest(const Digest& fingerprint, const IteratorState& state, std::span<const Input> inputs) {
  Hasher hasher;
  add(hasher, fingerprint);
  hasher.add(state.step).add(state.draws.position);
  add(hasher, state.plans);
  for (const std::vector<std::uint64_t>& column : columns_of(state)) hasher.add_array(std::span(column));
  hasher.add(std::uint64_t{state.deferred.size()});
  for (const Deferred& one : state.deferred) {
    hasher.add(one.draw.position).add(one.draw.sequence).add(one.draw.epoch).add(one.draw.source).add(one.waited);
  }
  hasher.add(std::uint64_t{inputs.size()});
  for (const Input& input : inputs) {
    hasher.add(input.step);
    add(hasher, input.kind);
    add(hasher, input.text);
  }
  return hasher.digest();
}

}  // namespace stowage::checkpoint
