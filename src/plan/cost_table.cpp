// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/error.hpp"

namespace stowage::plan {

namespace {

constexpr std::size_t kTerms = 3;
using Row = std::array<double, kTerms>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    std::string_view part = text.substr(0, at);
    if (!part.empty() && part.back() == '\r') part.remove_suffix(1);
    parts.push_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename Number>
Number parse(std::string_view field, std::string_view file, std::size_t line, const char* column) {
  Number value{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) {
    fail(STOWAGE_DATA_ERROR, "{}:{}: column {} must hold a number, found '{}'", file, line, column, field);
  }
  return value;
}

// Least squares over the terms in use, by Gaussian elimination of the normal equations with pivoting; nothing when they
// are singular.
std::optional<Row> solve(std::span<const CostSample> samples, const std::array<bool, kTerms>& used, double scale) {
  std::array<std::array<double, kTerms + 1>, kTerms> system{};
  for (const CostSample& sample : samples) {
    const double l = sample.tokens / scale;  // keeps the terms of like size
    const Row terms = {1.0, l, l * l};
    const double weight = 1.0 / (sample.seconds * sample.seconds);
    for (std::size_t a = 0; a < kTerms; ++a) {
      for (std::size_t b = 0; b < kTerms; ++b) system[a][b] += weight * terms[a] * terms[b];
      system[a][kTerms] += weight * terms[a] * sample.seconds;
    }
  }
  for (std::size_t a = 0; a < kTerms; ++a) {
    if (used[a]) continue;
    for (std::size_t b = 0; b <= kTerms; ++b) system[a][b] = 0.0;
    for (std::size_t b = 0; b < kTerms; ++b) system[b][a] = 0.0;
    system[a][a] = 1.0;
  }
  for (std::size_t column = 0; column < kTerms; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < kTerms; ++row) {
      if (std::abs(system[row][column]) > std::abs(system[pivot][column])) pivot = row;
    }
    if (system[pivot][column] == 0.0) return std::nullopt;
    std::swap(system[column], system[pivot]);
    for (std::size_t row = 0; row < kTerms; ++row) {
      if (row == column) continue;
      const double factor = system[row][column] / system[column][column];
      for (std::size_t k = column; k <= kTerms; ++k) system[row][k] -= factor * system[column][k];
    }
  }
  Row result{};
  for (std::size_t a = 0; a < kTerms; ++a) result[a] = system[a][kTerms] / system[a][a];
  return result;
}

double error_of(std::span<const CostSample> samples, const Row& row, double scale) {
  double sum = 0.0;
  for (const CostSample& sample : samples) {
    const double l = sample.tokens / scale;
    const double off = (row[0] + row[1] * l + row[2] * l * l) / sample.seconds - 1.0;
    sum += off * off;
  }
  return sum;
}

}  // namespace

std::vector<CostSample> parse_cost_table(std::string_view csv, std::string_view file) {
  const auto lines = split(csv, '\n');
  const auto header = split(lines.front(), ',');
  const auto column = [&](std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      fail(STOWAGE_DATA_ERROR, "{}:1: expected a column '{}', found '{}'", file, name, lines.front());
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t tokens = column("tokens");
  const std::size_t seconds = column("seconds");
  std::vector<CostSample> samples;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    if (lines[k].empty()) continue;
    const auto fields = split(lines[k], ',');
    if (fields.size() != header.size()) {
      fail(STOWAGE_DATA_ERROR, "{}:{}: expected {} fields, found {}", file, k + 1, header.size(), fields.size());
    }
    samples.push_back({parse<std::uint32_t>(fields[tokens], file, k + 1, "tokens"),
                       parse<double>(fields[seconds], file, k + 1, "seconds")});
  }
  return samples;
}

CostModel fit_cost(std::span<const CostSample> samples) {
  std::set<std::uint32_t> lengths;
  for (const CostSample& sample : samples) {
    if (!(sample.seconds > 0.0) || !std::isfinite(sample.seconds)) {
      fail(STOWAGE_INVALID_ARGUMENT, "measured times must be above 0, got {} s for {} tokens", sample.seconds,
           sample.tokens);
    }
    lengths.insert(sample.tokens);
  }
  if (lengths.size() < kTerms) {
    fail(STOWAGE_INVALID_ARGUMENT, "a cost model needs times of at least {} different lengths, got {}", kTerms,
         lengths.size());
  }
  const double scale = *lengths.rbegin();
  // With three terms the non-negative optimum is the best of the optima over every subset that comes out non-negative.
  Row best{};
  double best_error = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1U << kTerms; ++subset) {
    const std::array<bool, kTerms> used = {(subset & 1U) != 0, (subset & 2U) != 0, (subset & 4U) != 0};
    const auto row = solve(samples, used, scale);
    if (!row || std::any_of(row->begin(), row->end(), [](double term) { return term < 0.0; })) continue;
    if (const double error = error_of(samples, *row, scale); error < best_error) {
      best_error = error;
      best = *row;
    }
  }
  CostModel cost;
  cost.per_micro_batch = best[0];
  cost.linear = best[1] / scale;
  cost.quadratic = best[2] / (scale * scale);
  return cost;
}

}  // namespace stowage::plan
