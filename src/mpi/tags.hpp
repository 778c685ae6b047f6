// SPDX-License-Identifier: Apache-2.0
// Tags of the messages on the job's world communicator, where trainers and loader ranks talk, and loader ranks about
// each other. All of them stand here, so that no two things take each other's messages.
#pragma once

namespace stowage::mpi {

enum WorldTag : int {
  kTagRegister = 101,  // deliver/protocol.hpp
  kTagPull,
  kTagNotice,
  kTagPayload,
  kTagSave,  // deliver/save.hpp
  kTagSaved,
  kTagAlarm,       // loader/alarm.hpp
  kTagHeartbeat,   // loader/heartbeat.hpp
  kTagMembership,  // loader/membership.hpp
};

}  // namespace stowage::mpi
