// SPDX-License-Identifier: Apache-2.0
// HDF5 identifiers that close themselves, and checked calls of the C API.
//
//   DatasetId dataset(call({"open dataset", "/tokens", path}, H5Dopen2, file.id(), "/tokens", H5P_DEFAULT));
//
// The HDF5 library of Debian is not thread-safe: one thread at a time in a process may be inside it. It works without
// MPI_Init as long as no MPI file access is asked for.
#pragma once

#include <hdf5.h>

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace stowage::h5 {

// For programs of our own, before the first use: HDF5 never prints, not even its complaint at exit ("infinite loop
// closing library") that follows a file with damaged object headers. The library leaves this choice to the application.
void silence() noexcept;

// What a call is for. A failure throws Error(status, "<file>: cannot <action> <object>: HDF5: <reason>").
struct Context {
  std::string_view action;  // "open dataset"
  std::string_view object;  // "/tokens"; may be empty
  std::string_view file;
  Status status = STOWAGE_DATA_ERROR;
};

namespace detail {

// Switches the printing of error stacks off for its lifetime and then restores what the application had chosen.
class Quiet {
 public:
  Quiet() noexcept;
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
  bool known_ = false;
};

// Throws Error with the innermost description that stands in the present error stack.
[[noreturn]] void raise(const Context& context);

}  // namespace detail

// Calls an HDF5 function whose negative result means failure (hid_t, herr_t, htri_t, ssize_t, int) and returns the
// result; throws Error as Context says.
template <typename Result, typename... Parameters, typename... Arguments>
requires(std::is_signed_v<Result> || std::is_enum_v<Result>) Result
    call(const Context& context, Result (*function)(Parameters...), Arguments&&... arguments) {
  const detail::Quiet quiet;
  const Result result = function(std::forward<Arguments>(arguments)...);
  if (result < Result{}) detail::raise(context);
  return result;
}

// Move-only owner of one identifier; empty when default-constructed or moved from. The destructor never throws: where a
// failed close matters (a file that was written), call close() before.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() noexcept = default;
  explicit Handle(hid_t id) noexcept : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  hid_t id() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }

  void close(const Context& context) {
    if (id_ >= 0) call(context, Close, std::exchange(id_, H5I_INVALID_HID));
  }

  void reset() noexcept {
    if (id_ < 0) return;
    const detail::Quiet quiet;
    Close(std::exchange(id_, H5I_INVALID_HID));
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using FileId = Handle<H5Fclose>;
using GroupId = Handle<H5Gclose>;
using DatasetId = Handle<H5Dclose>;
using SpaceId = Handle<H5Sclose>;
using TypeId = Handle<H5Tclose>;
using AttributeId = Handle<H5Aclose>;
using PropertyList = Handle<H5Pclose>;

}  // namespace stowage::h5
