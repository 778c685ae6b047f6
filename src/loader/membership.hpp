// SPDX-License-Identifier: Apache-2.0
// Which loader ranks are lost: whoever finds out tells all others, until all that are left know the same.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <list>
#include <vector>

#include "base/error.hpp"
#include "mpi/request.hpp"
#include "mpi/tags.hpp"

namespace stowage::loader {

// Ends a wait: the loader ranks that are left must form anew.
class LoadersLost : public std::exception {
 public:
  const char* what() const noexcept override { return "a loader rank is lost"; }
};

// The others have taken this rank for lost and replaced it; it must end without a word to the trainers.
class Expelled : public Error {
 public:
  using Error::Error;
};

// The set of lost ranks only grows, and a rank sends every growth to all, the lost ones too (a process that was only
// stopped learns that it is expelled). So two ranks with the same set have the same view; views that differ have
// different tag spaces, and what is begun in a view that some do not share is given up by all. Loader ranks go by their
// number (crew.hpp). Messages on the world communicator; not collective. One thread.
class Membership {
 public:
  // loader_ranks: their ranks in `world`, by number.
  Membership(MPI_Comm world, std::vector<int> loader_ranks, int my_number);
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // This rank has found out that `number` is lost.
  void declare(int number);

  // Hears from others. Throws LoadersLost if the set has grown since view() was called, Expelled if this rank is in it.
  void check();

  struct View {
    std::vector<int> living;  // ascending numbers
    int space = 0;            // the first of two tag spaces of its own (mpi/group.hpp)
  };
  // The present one, from which LoadersLost counts from now on.
  View view();

  bool lost(int number) const noexcept { return lost_[static_cast<std::size_t>(number)] != 0; }

 private:
  static constexpr int kTag = mpi::kTagMembership;
  struct Sending {
    std::vector<std::uint8_t> lost;
    mpi::Request request;
  };

  void hear();
  void merge(const std::vector<std::uint8_t>& theirs);
  void tell_all();

  MPI_Comm world_;
  std::vector<int> loader_ranks_;
  int me_;
  std::vector<std::uint8_t> lost_;  // by number
  std::vector<std::uint8_t> heard_;
  mpi::Request hearing_;
  std::list<Sending> sending_;
  bool grown_ = false;
};

}  // namespace stowage::loader
