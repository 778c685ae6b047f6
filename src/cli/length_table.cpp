// SPDX-License-Identifier: Apache-2.0
#include "cli/length_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string_view>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::cli {
namespace {

constexpr std::string_view kTiles = "vision_tiles";

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::uint32_t parse_number(std::string_view field, const std::string& file, std::size_t line, std::string_view column) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) {
    fail(STOWAGE_DATA_ERROR, "{}:{}: column {} must hold a whole number below 2^32, found '{}'", file, line, column,
         field);
  }
  return value;
}

std::vector<std::size_t> find_columns(const std::vector<std::string_view>& wanted,
                                      const std::vector<std::string_view>& header, const std::string& file) {
  std::vector<std::size_t> columns;
  for (const std::string_view name : wanted) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) {
      std::string names;
      for (const std::string_view column : header) names += (names.empty() ? "" : ", ") + std::string(column);
      fail(STOWAGE_INVALID_ARGUMENT, "{} has no column '{}'; its first line names {}", file, name, names);
    }
    columns.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return columns;
}

}  // namespace

LengthTable read_length_table(const std::string& spec) {
  const std::size_t colon = spec.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == spec.size()) {
    fail(STOWAGE_INVALID_ARGUMENT, "lengths are given as FILE.csv:COLUMN[,COLUMN...], got '{}'", spec);
  }
  const std::string file = spec.substr(0, colon);
  std::ifstream in(file);
  if (!in) fail(STOWAGE_IO_ERROR, "cannot read {}: {}", file, std::strerror(errno));
  std::string header_line;
  if (!std::getline(in, header_line))
    fail(STOWAGE_DATA_ERROR, "{} is empty; its first line must name the columns", file);
  const auto header = split(without_return(header_line));
  const auto wanted = split(std::string_view(spec).substr(colon + 1));
  const auto columns = find_columns(wanted, header, file);

  LengthTable table;
  std::string line;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (without_return(line).empty()) continue;
    const auto fields = split(without_return(line));
    std::uint64_t tokens = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] >= fields.size()) {
        fail(STOWAGE_DATA_ERROR, "{}:{}: expected {} fields, found {}", file, number, header.size(), fields.size());
      }
      const std::uint32_t value = parse_number(fields[columns[k]], file, number, wanted[k]);
      if (wanted[k] == kTiles) {
        table.tiles.push_back(value);
      } else {
        tokens += value;
      }
    }
    table.tokens.push_back(narrow<std::uint32_t>(tokens, "tokens of a sequence"));
  }
  if (table.tokens.empty()) fail(STOWAGE_DATA_ERROR, "{} has no rows", file);
  return table;
}

std::vector<StepLengths> draw_steps(const LengthTable& table, std::uint64_t sequences, std::uint64_t steps,
                                    std::uint32_t cap, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(table.tokens.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t at = order.size();
  std::vector<StepLengths> result(steps);
  for (StepLengths& step : result) {
    for (std::uint64_t k = 0; k < sequences; ++k) {
      if (at == order.size()) {
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        at = 0;
      }
      const std::size_t row = order[at++];
      std::uint32_t left = table.tokens[row];
      std::uint32_t tiles = table.tiles.empty() ? 0 : table.tiles[row];
      do {
        const std::uint32_t piece = cap == 0 ? left : std::min(left, cap);
        step.tokens.push_back(piece);
        if (!table.tiles.empty()) step.tiles.push_back(tiles);
        tiles = 0;
        left -= piece;
      } while (left > 0);
    }
  }
  return result;
}

}  // namespace stowage::cli
