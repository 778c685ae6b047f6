// SPDX-License-Identifier: Apache-2.0
// Memory lent to MPI.
#pragma once

#include <memory>
#include <utility>

namespace stowage::mpi {

// Holds what a collective operation reads and writes until it is complete. Such an operation cannot be cancelled, so
// when its wait is abandoned (an exception passes by before give_back()) the memory is given up instead of freed.
template <typename T>
class Lent {
 public:
  explicit Lent(T value) : value_(std::make_unique<T>(std::move(value))) {}
  ~Lent() {
    if (lent_) static_cast<void>(value_.release());
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  T* operator->() noexcept { return value_.get(); }
  T& operator*() noexcept { return *value_; }
  void give_back() noexcept { lent_ = false; }  // MPI is done with it

 private:
  std::unique_ptr<T> value_;
  bool lent_ = true;
};

}  // namespace stowage::mpi
