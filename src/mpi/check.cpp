// SPDX-License-Identifier: Apache-2.0
#include "mpi/check.hpp"

#include <array>

#include "base/error.hpp"

namespace stowage::mpi {

void check(int rc, const char* call) {
  if (rc == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(rc, text.data(), &length) != MPI_SUCCESS) length = 0;
  fail(STOWAGE_MPI_ERROR, "{} failed with code {}: {}", call, rc,
       length > 0 ? std::string_view(text.data(), static_cast<std::size_t>(length)) : "no text for this code");
}

bool usable() noexcept {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

}  // namespace stowage::mpi
