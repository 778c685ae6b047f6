// SPDX-License-Identifier: Apache-2.0
// A rank's connection to Slurm's PMIx server, kept open when the rank dies. Slurm's plugin ends the whole step a second
// after such a connection is lost, so under srun nobody would outlive anybody.
#pragma once

#include <sys/types.h>

namespace stowage::launch {

// One program and the processes below it. Needs pidfd_getfd (Linux 5.6) and what ptrace needs, which a parent has.
class HeldConnection {
 public:
  explicit HeldConnection(pid_t program);
  ~HeldConnection();
  HeldConnection(const HeldConnection&) = delete;
  HeldConnection& operator=(const HeldConnection&) = delete;

  // Whether the environment of this process names such a server, to which the program may connect.
  bool wanted() const noexcept { return port_ != 0; }

  // Holds the connection once it is there: the program makes it in MPI_Init. Cheap.
  void look();
  bool held() const noexcept { return socket_ >= 0; }

 private:
  void look_in(pid_t pid);

  pid_t program_;
  int port_ = 0;  // of the server, on the loopback interface; network byte order
  int socket_ = -1;
};

}  // namespace stowage::launch
