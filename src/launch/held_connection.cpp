// SPDX-License-Identifier: Apache-2.0
#include "launch/held_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/error.hpp"

namespace stowage::launch {
namespace {

namespace fs = std::filesystem;

// The variables hold "NAMESPACE.RANK;tcp4://127.0.0.1:PORT". 0: the launcher is not Slurm with PMIx.
int server_port() {
  const char* job = std::getenv("PMIX_NAMESPACE");
  if (job == nullptr || !std::string_view(job).starts_with("slurm.pmix.")) return 0;
  for (const char* variable : {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI2"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr) continue;
    const std::string_view uri(value);
    if (uri.find(";tcp4://") == std::string_view::npos) continue;
    return htons(static_cast<std::uint16_t>(std::atoi(value + uri.rfind(':') + 1)));
  }
  return 0;
}

bool leads_to(int socket, int port) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  return getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
         peer.sin_port == port && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

}  // namespace

HeldConnection::HeldConnection(pid_t program) : program_(program), port_(server_port()) {}

HeldConnection::~HeldConnection() {
  if (socket_ >= 0) close(socket_);
}

void HeldConnection::look() {
  if (wanted() && !held()) look_in(program_);
}

void HeldConnection::look_in(pid_t pid) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0U));
  if (process < 0) return;
  std::error_code error;
  fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), error);
  for (; !held() && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (!fs::read_symlink(entry->path(), gone).string().starts_with("socket:")) continue;
    const int number = std::atoi(entry->path().filename().c_str());
    const int copy = static_cast<int>(syscall(SYS_pidfd_getfd, process, number, 0U));
    if (copy < 0) continue;
    if (leads_to(copy, port_)) {
      socket_ = copy;
    } else {
      close(copy);
    }
  }
  close(process);
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (pid_t child = 0; !held() && children >> child;) look_in(child);
}

}  // namespace stowage::launch
