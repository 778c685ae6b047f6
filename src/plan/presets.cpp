// SPDX-License-Identifier: Apache-2.0
#include "plan/presets.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"

namespace stowage::plan {

namespace {

constexpr double kPasses = 3.0;  // forward once, backward twice as much

constexpr std::array kLanguage = {
    LanguageShape{"gpt3-175b", 96, 12288, 96, 96, 49152, false, 50257},
    LanguageShape{"llama2-7b", 32, 4096, 32, 32, 11008, true, 32000},
    LanguageShape{"llama3-8b", 32, 4096, 32, 8, 14336, true, 128256},
    LanguageShape{"llama3-70b", 80, 8192, 64, 8, 28672, true, 128256},
    LanguageShape{"qwen2.5-7b", 28, 3584, 28, 4, 18944, true, 152064},
};

constexpr std::array kVision = {
    VisionShape{"clip-vit-l14-336", 24, 1024, 4096, 577},
    VisionShape{"internvit-300m", 24, 1024, 4096, 1025},
    VisionShape{"internvit-6b", 45, 3200, 12800, 1025},
};

template <typename Shapes>
const auto& find(const Shapes& shapes, std::string_view name, std::string_view kind) {
  const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const auto& shape) { return shape.name == name; });
  if (found != shapes.end()) return *found;
  std::string names;
  for (const auto& shape : shapes) names += (names.empty() ? "" : ", ") + std::string(shape.name);
  fail(STOWAGE_INVALID_ARGUMENT, "unknown {} preset '{}'; there are {}", kind, name, names);
}

}  // namespace

std::span<const LanguageShape> language_presets() {
  return kLanguage;
}
std::span<const VisionShape> vision_presets() {
  return kVision;
}

CostModel cost_of(const LanguageShape& shape) {
  const double attention = 2.0 * shape.hidden * shape.hidden * (2.0 + 2.0 * shape.kv_heads / shape.heads);
  const double feed_forward = 2.0 * (shape.gated ? 3.0 : 2.0) * shape.hidden * shape.feed_forward;
  CostModel cost;
  cost.linear = kPasses * (shape.layers * (attention + feed_forward) + 2.0 * shape.hidden * shape.vocabulary);
  cost.quadratic = kPasses * shape.layers * 4.0 * shape.hidden;
  return cost;
}

double tile_cost_of(const VisionShape& shape) {
  const double linear = 8.0 * shape.hidden * shape.hidden + 4.0 * shape.hidden * shape.feed_forward;
  const double quadratic = 4.0 * shape.hidden;
  return kPasses * shape.layers * shape.tokens_per_tile * (linear + quadratic * shape.tokens_per_tile);
}

CostModel preset_cost(std::string_view name) {
  const std::size_t plus = name.find('+');
  CostModel cost = cost_of(find(kLanguage, name.substr(0, plus), "language"));
  if (plus != std::string_view::npos) cost.tile = tile_cost_of(find(kVision, name.substr(plus + 1), "vision"));
  return cost;
}

}  // namespace stowage::plan
