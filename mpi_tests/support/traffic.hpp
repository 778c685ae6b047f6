// SPDX-License-Identifier: Apache-2.0
// Who sends how much to whom, with the bytes as a function of sender, receiver and place: the plain reference of an
// exchange, which every rank computes without a message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace stowage::test {

inline Bytes pattern(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xffU);
  return bytes;
}

struct Traffic {
  std::string name;
  int ranks = 1;
  std::vector<std::uint64_t> sizes;  // [sender * ranks + receiver]

  std::uint64_t size(int from, int to) const { return sizes[static_cast<std::size_t>(from * ranks + to)]; }
  Bytes part(int from, int to) const { return pattern(static_cast<std::uint64_t>(from * ranks + to), size(from, to)); }

  std::vector<std::uint64_t> send_sizes(int from) const {
    std::vector<std::uint64_t> row;
    for (int to = 0; to < ranks; ++to) row.push_back(size(from, to));
    return row;
  }
  std::vector<std::uint64_t> receive_sizes(int to) const {
    std::vector<std::uint64_t> column;
    for (int from = 0; from < ranks; ++from) column.push_back(size(from, to));
    return column;
  }
  Bytes sent_by(int from) const {
    Bytes all;
    for (int to = 0; to < ranks; ++to) append(all, part(from, to));
    return all;
  }
  Bytes received_by(int to) const {
    Bytes all;
    for (int from = 0; from < ranks; ++from) append(all, part(from, to));
    return all;
  }

 private:
  static void append(Bytes& all, const Bytes& part) { all.insert(all.end(), part.begin(), part.end()); }
};

// Nothing anywhere, one byte each, one giant among nothing, one rank that only sends, one that only receives, random.
inline std::vector<Traffic> awkward_traffic(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<Traffic> all;
  all.push_back({"nothing", ranks, std::vector<std::uint64_t>(n * n, 0)});
  all.push_back({"one byte each", ranks, std::vector<std::uint64_t>(n * n, 1)});
  Traffic giant{"one giant", ranks, std::vector<std::uint64_t>(n * n, 0)};
  giant.sizes[n - 1] = 1'511;  // rank 0 to the last
  all.push_back(giant);
  Traffic from_last{"one sender", ranks, std::vector<std::uint64_t>(n * n, 0)};
  Traffic to_last{"one receiver", ranks, std::vector<std::uint64_t>(n * n, 0)};
  for (std::size_t r = 0; r < n; ++r) {
    from_last.sizes[(n - 1) * n + r] = 17 * r;
    to_last.sizes[r * n + n - 1] = 101 + r;
  }
  all.push_back(from_last);
  all.push_back(to_last);
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 5; ++i) {
    Traffic mixed{"random " + std::to_string(i), ranks, std::vector<std::uint64_t>(n * n, 0)};
    for (std::uint64_t& size : mixed.sizes) size = random() % 3 == 0 ? 0 : random() % 300;
    all.push_back(mixed);
  }
  return all;
}

}  // namespace stowage::test
