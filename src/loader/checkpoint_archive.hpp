// SPDX-License-Identifier: Apache-2.0
// A checkpoint in a message between loader ranks.
#pragma once

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "checkpoint/checkpoint.hpp"

namespace boost::serialization {

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Fingerprint::Setting& setting, unsigned) {
  archive& setting.key& setting.value;
}

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Fingerprint::File& file, unsigned) {
  archive& file.path& file.bytes& file.modified_ns;
}

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Fingerprint::Source& source, unsigned) {
  archive& source.name& source.sequences& source.tokens& source.index.high& source.index.low& source.files;
}

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Fingerprint& fingerprint, unsigned) {
  archive& fingerprint.settings& fingerprint.sources;
}

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Input& input, unsigned) {
  archive& input.step& input.kind& input.text;
}

template <typename Archive>
void serialize(Archive& archive, stowage::checkpoint::Checkpoint& checkpoint, unsigned) {
  archive& checkpoint.fingerprint& checkpoint.state& checkpoint.inputs;
}

}  // namespace boost::serialization
