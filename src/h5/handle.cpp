// SPDX-License-Identifier: Apache-2.0
#include "h5/handle.hpp"

#include <string>

namespace stowage::h5 {

void silence() noexcept {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

namespace detail {
namespace {

// H5Ewalk2 callback, called from the innermost entry outwards: keeps the first description.
herr_t keep_first(unsigned, const H5E_error2_t* entry, void* out) {
  auto& text = *static_cast<std::string*>(out);
  if (text.empty() && entry->desc != nullptr) text = entry->desc;
  return 0;
}

// "<file>: cannot <action>" or "<file>: cannot <action> <object>"
std::string headline(const Context& context) {
  if (context.object.empty()) return fmt::format("{}: cannot {}", context.file, context.action);
  return fmt::format("{}: cannot {} {}", context.file, context.action, context.object);
}

}  // namespace

Quiet::Quiet() noexcept {
  known_ = H5Eget_auto2(H5E_DEFAULT, &print_, &data_) >= 0;
  if (known_) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
  if (known_) H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

void raise(const Context& context) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  if (reason.empty()) reason = "no reason given";
  const bool about_locks = reason.find("lock file") != std::string::npos;
  fail(context.status, "{}: HDF5: {}{}", headline(context), reason,
       about_locks ? "; set the environment variable HDF5_USE_FILE_LOCKING=FALSE if the file system has no locks" : "");
}

}  // namespace detail
}  // namespace stowage::h5
