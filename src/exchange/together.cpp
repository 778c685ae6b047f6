// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "exchange/team.hpp"

namespace stowage::exchange {

void together(Team& team, const std::function<void()>& work) {
  Vote vote;
  try {
    work();
  } catch (...) {
    std::tie(vote.status, vote.message) = current_exception_status();
  }
  team.agree(vote);
}

}  // namespace stowage::exchange
