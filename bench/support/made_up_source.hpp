// SPDX-License-Identifier: Apache-2.0
// Sources of made-up sequences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "source/writer.hpp"

namespace stowage::bench {

// Writes `sequences` sequences of u16 tokens; their lengths are log-normal about `median`, from 1 to 8,000.
inline void write_source(const std::string& path, bool hdf5, std::uint64_t sequences, double median) {
  source::WriterOptions options;
  options.type = source::TokenType::u16;
  options.vocab_size = 50000;
  options.force = true;
  const auto writer = hdf5 ? source::make_hdf5_writer(path, options) : source::make_megatron_writer(path, options);
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> lengths(std::log(median), 0.8);
  std::vector<std::uint32_t> tokens;
  for (std::uint64_t s = 0; s < sequences; ++s) {
    tokens.assign(static_cast<std::size_t>(std::clamp(lengths(random), 1.0, 8000.0)),
                  static_cast<std::uint32_t>(s % 50000));
    writer->add(tokens);
    writer->end_document();
  }
  writer->close();
}

}  // namespace stowage::bench
