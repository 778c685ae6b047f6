// SPDX-License-Identifier: Apache-2.0
// Cost models from model shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/cost.hpp"

namespace stowage::plan {

// A decoder-only transformer.
struct LanguageShape {
  std::string_view name;
  double layers;
  double hidden;
  double heads;
  double kv_heads;      // fewer than heads: grouped-query attention
  double feed_forward;  // inner width
  bool gated;           // three feed-forward matrices instead of two
  double vocabulary;
};

// A vision transformer and how many patches (class token included) a tile has.
struct VisionShape {
  std::string_view name;
  double layers;
  double hidden;
  double feed_forward;
  double tokens_per_tile;
};

std::span<const LanguageShape> language_presets();
std::span<const VisionShape> vision_presets();

// Floating-point operations of forward and backward for segments (linear, quadratic), and for tiles.
// D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021),
// appendix: matrix products only, a multiply and an add are two, backward is twice forward, no recomputation; extended
// to grouped queries and gated feed-forward layers. Attention counts in full, not half for being causal.
CostModel cost_of(const LanguageShape& shape);
double tile_cost_of(const VisionShape& shape);

// By name: "llama3-8b", or with a vision encoder "llama3-8b+internvit-6b". Throws STOWAGE_INVALID_ARGUMENT that lists
// the names.
CostModel preset_cost(std::string_view name);

}  // namespace stowage::plan
