// SPDX-License-Identifier: Apache-2.0
// The engine and the methods it is measured against, behind one interface.
#pragma once

#include <span>
#include <string_view>

#include "plan/plan.hpp"

namespace stowage::plan {

struct Method {
  std::string_view name;     // on the command line
  std::string_view summary;  // one line
  Plan (*plan)(const Request& request);
};

// "stowage" first. Methods take a checked request; a cap of 0 asks for stage one alone: one micro-batch a replica. They
// give equal counts where the request asks for them. Only "omnibal" may leave sequences out: those that no group of its
// can hold.
std::span<const Method> methods();

// The method of that name; throws STOWAGE_INVALID_ARGUMENT that lists the names.
const Method& method(std::string_view name);

}  // namespace stowage::plan
