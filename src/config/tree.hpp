// SPDX-License-Identifier: Apache-2.0
// YAML text as a plain tree with positions: duplicate keys kept, quoted and plain scalars told apart, aliases resolved.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/report.hpp"

namespace stowage::config {

struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Mark mark;
  bool quoted = false;  // of a scalar: a quoted one is always text
  std::string text;     // of a scalar
  // Of a list its items; of a map keys and values in turn, as written. After a syntax error the last key may stand
  // without a value.
  std::vector<std::shared_ptr<const Node>> items;
};

// The root of the first document; null if there is none. Syntax errors, tags, further documents and aliases of an
// unfinished node are added to the report; after a syntax error the tree holds what stood before it.
std::shared_ptr<const Node> read_tree(std::string_view text, Report& report);

}  // namespace stowage::config
