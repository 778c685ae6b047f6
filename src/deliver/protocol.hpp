// SPDX-License-Identifier: Apache-2.0
// The messages between trainers and the loader ranks that serve them: point-to-point on the job's world communicator,
// never collective.
//
//   trainer                                   loader
//   Register{replica, place}   ------------>  first loader rank
//                              <------------  Notice{welcome} + payload: JobInfo, from the rank that will serve
//   Pull{ring}                 ------------>  once, if the ring that JobInfo names is mapped: steps come through it
//                                             (step_ring.hpp), and what it says replaces Pull{pull}
//   Pull{steps below s wanted, below r released}  ->  at any time; repeatable: only the largest values count
//                              <------------  Notice{step} + payload: a step block, in order of steps; of a trainer
//                                             with a ring those that found no place in it
//                              <------------  Notice{end} | Notice{error} + payload: the message (from any loader)
//   Pull{close}                ------------>  and, where loader ranks may be replaced, to all of them, so that nobody
//                                             waits for this trainer in place of a rank that is lost
//                              <------------  Notice{closed}: the last message
//
// A loader rank that takes over from a lost one begins with Notice{welcome} of a higher generation. The trainer then
// says Pull{ring or pull, next} to that one; what it has got already, complete or in the old ring, it uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "deliver/part.hpp"
#include "deliver/shared_rings.hpp"
#include "mpi/tags.hpp"
#include "stowage.h"

namespace stowage::deliver {

using mpi::kTagNotice;
using mpi::kTagPayload;
using mpi::kTagPull;
using mpi::kTagRegister;

struct Register {
  std::int32_t replica = -1;
  Coordinates coordinates;
  std::int64_t resume_step = -1;  // as in stowage_trainer_options
};

enum class PullKind : std::uint32_t { pull = 1, close = 2, ring = 3 };

struct Pull {
  PullKind kind = PullKind::pull;
  std::uint32_t reserved = 0;
  std::uint64_t wanted = 0;    // steps below it may be sent
  std::uint64_t released = 0;  // steps below it are given back
  std::uint64_t next = 0;      // steps below it have come, whoever sent them
};

enum class NoticeKind : std::uint32_t { welcome = 1, step = 2, end = 3, error = 4, closed = 5 };

struct Notice {
  NoticeKind kind = NoticeKind::closed;
  std::uint32_t generation = 0;  // of the connection: how many loader ranks were lost before it began
  std::uint64_t step = 0;        // of kind step; of kind end: the number of steps
  std::uint64_t bytes = 0;       // of the payload that follows
  stowage_status status = STOWAGE_OK;
  std::uint32_t reserved = 0;
};

static_assert(std::is_trivially_copyable_v<Register> && std::is_trivially_copyable_v<Pull> &&
              std::is_trivially_copyable_v<Notice>);

// A payload travels in messages of at most this size, so that no count overflows an int.
inline constexpr std::size_t kPayloadChunk = std::size_t{256} << 20;

// Begins a trainer's message of an error that the loaders found, and have shown themselves.
inline constexpr const char* kReported = "the loaders reported: ";

// What a trainer learns when it is welcomed. Travels in a frame (base/frame.hpp).
struct JobInfo {
  static constexpr std::uint32_t kVersion = 4;
  std::uint64_t steps = 0;
  std::uint64_t first_step = 0;
  std::uint32_t replicas = 0;
  std::uint32_t replica = 0;
  std::uint32_t micro_batch_tokens = 0;
  std::uint32_t steps_held = 0;
  std::uint32_t sources = 0;
  std::int32_t trainers = 0;
  std::int32_t loaders = 0;
  double acquire_seconds = 0;
  bool survives = false;     // lost loader ranks are replaced
  bool checkpoints = false;  // the run writes some
  RingPlace ring;

  stowage_info info() const noexcept {
    return {steps, first_step, replicas, replica, micro_batch_tokens, steps_held, sources, trainers, loaders};
  }

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& steps& first_step& replicas& replica& micro_batch_tokens& steps_held& sources& trainers& loaders&
        acquire_seconds& survives& checkpoints& ring;
  }
};

}  // namespace stowage::deliver
