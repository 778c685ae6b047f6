// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <new>

namespace stowage {

std::string_view status_name(Status status) noexcept {
  switch (status) {
    case STOWAGE_OK:
      return "ok";
    case STOWAGE_END:
      return "end";
    case STOWAGE_INVALID_ARGUMENT:
      return "invalid argument";
    case STOWAGE_CONFIG_ERROR:
      return "config error";
    case STOWAGE_DATA_ERROR:
      return "data error";
    case STOWAGE_IO_ERROR:
      return "io error";
    case STOWAGE_MPI_ERROR:
      return "mpi error";
    case STOWAGE_TIMEOUT:
      return "timeout";
    case STOWAGE_PEER_LOST:
      return "peer lost";
    case STOWAGE_STATE_ERROR:
      return "state error";
    case STOWAGE_UNSUPPORTED:
      return "unsupported";
    case STOWAGE_OUT_OF_MEMORY:
      return "out of memory";
    case STOWAGE_INTERNAL_ERROR:
      return "internal error";
    case STOWAGE_PREEMPTED:
      return "preempted";
  }
  return "unknown status";
}

std::pair<Status, std::string> current_exception_status() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return {error.status(), error.what()};
  } catch (const std::bad_alloc&) {
    return {STOWAGE_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& error) {
    return {STOWAGE_INTERNAL_ERROR, error.what()};
  } catch (...) {
    return {STOWAGE_INTERNAL_ERROR, "an exception of an unknown type"};
  }
}

}  // namespace stowage
