// SPDX-License-Identifier: Apache-2.0
// What differs between the run that wrote a checkpoint and the one that goes on from it.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"

namespace stowage::loader {

enum class Effect {
  none,    // the stream stays as it was: a file's time or path, with an equal index
  input,   // the stream is another one from here on, without skipping or repeating: a weight, a new source
  refused  // the stream cannot go on: the seed, an order, the data; unless told to
};

struct Change {
  std::string key;   // as in the configuration
  std::string then;  // in words
  std::string now;
  Effect effect = Effect::input;
  bool mixture = false;  // a new stage of the mixture begins

  std::string text() const { return key + ": " + then + " in the checkpoint, " + now + " now"; }
};

// All of them, settings first. A source that is disabled then or now has no data to compare. Pure.
std::vector<Change> changes_between(const checkpoint::Fingerprint& then, const checkpoint::Fingerprint& now);

// `now`, with what `then` knew of the data of sources that are not opened now because they are disabled.
checkpoint::Fingerprint with_known_data(checkpoint::Fingerprint now, const checkpoint::Fingerprint& then);

}  // namespace stowage::loader
