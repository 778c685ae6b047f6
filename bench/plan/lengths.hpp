// SPDX-License-Identifier: Apache-2.0
// Lengths to plan: from a table, or made up.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace stowage::bench {

// Log-normal lengths with a median of about 1,100 tokens and a long tail, cut at `most`: like conversations.
inline std::vector<std::uint32_t> made_up_lengths(std::size_t count, std::uint32_t most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> lengths(count);
  for (std::uint32_t& length : lengths) {
    // Box and Muller, so that every standard library gives the same lengths.
    const double u = (static_cast<double>(random() >> 11) + 1.0) * 0x1p-53;
    const double v = static_cast<double>(random() >> 11) * 0x1p-53;
    const double normal = std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
    length = static_cast<std::uint32_t>(std::min<double>(most, 1.0 + std::exp(7.0 + 0.8 * normal)));
  }
  return lengths;
}

// The sums of the columns by number (from 0) of a CSV file with a header.
inline std::vector<std::uint32_t> read_lengths(const std::string& file, const std::vector<std::size_t>& columns) {
  std::ifstream in(file);
  if (!in) fail(STOWAGE_IO_ERROR, "cannot read {}", file);
  std::vector<std::uint32_t> lengths;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::uint32_t sum = 0;
    std::string field;
    for (std::size_t k = 0; std::getline(fields, field, ','); ++k) {
      for (const std::size_t column : columns) sum += column == k ? static_cast<std::uint32_t>(std::stoul(field)) : 0U;
    }
    lengths.push_back(sum);
  }
  return lengths;
}

// Runs a benchmark; its errors end the program with a message and their status.
template <typename Run>
int guarded(Run run) {
  try {
    run();
    return STOWAGE_OK;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return error.status();
  }
}

}  // namespace stowage::bench
