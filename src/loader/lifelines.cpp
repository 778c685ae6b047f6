// SPDX-License-Identifier: Apache-2.0
#include "loader/lifelines.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <random>

#include "base/log.hpp"

namespace stowage::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::microseconds kPause{200};
constexpr std::byte kLeaving{1};
constexpr std::size_t kAddresses = 16;

struct Hello {
  std::uint64_t token = 0;  // of the rank that is called
  std::int64_t caller = 0;
};

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

bool wait_for(int socket, short event, Clock::time_point end) {
  pollfd look{socket, event, 0};
  return poll(&look, 1, milliseconds_until(end)) == 1;
}

// A connection to that address; -1 if there is none to be had.
int connect_to(in_addr_t address, in_port_t port, Clock::time_point end) {
  const int line = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (line < 0) return -1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = port;
  to.sin_addr.s_addr = address;
  int problem = 0;
  socklen_t size = sizeof problem;
  const bool begun = connect(line, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS;
  if (begun && wait_for(line, POLLOUT, end) && getsockopt(line, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 &&
      problem == 0) {
    return line;
  }
  close(line);
  return -1;
}

std::uint64_t pid_namespace() noexcept {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

}  // namespace

// What a rank tells of itself.
struct Lifelines::Contact {
  std::uint64_t token = 0;
  std::uint64_t pid_namespace = 0;
  std::int64_t pid = 0;
  std::array<in_addr_t, kAddresses> addresses{};  // IPv4, in network order; 0 = none
  in_port_t port = 0;                             // in network order; 0: it cannot be called
};

Lifelines::Lifelines(exchange::Team& team, const std::vector<int>& node_of)
    : me_(team.rank()), size_(team.size()), processes_(node_of.size(), -1) {
  Contact mine;
  std::random_device random;
  mine.token = std::uint64_t{random()} << 32 | random();
  mine.pid_namespace = pid_namespace();
  mine.pid = getpid();
  const int listener = listen_here(mine);

  const exchange::Gathered gathered = team.all_gather(std::as_bytes(std::span(&mine, 1)));
  std::vector<Contact> contacts(node_of.size());
  std::memcpy(contacts.data(), gathered.bytes.data(), gathered.bytes.size());
  connect_lower(contacts, node_of);
  if (listener >= 0) {
    accept_higher(listener, mine);
    close(listener);
  }
  for (int other = 0; other < size_; ++other) {
    if (!watched(other) || std::ranges::count(lines_, other, &Line::rank) > 0) continue;
    log().warn(
        "no connection between loader ranks {} and {}: that one of them has ended is noticed only by its silence, "
        "after limits.peer_seconds",
        me_, other);
  }
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    if (node_of[r] != node_of[static_cast<std::size_t>(me_)]) contacts[r].pid = 0;
  }
  hold_processes(contacts);
}

Lifelines::~Lifelines() {
  for (const Line& line : lines_) close(line.socket);
  for (const int process : processes_) {
    if (process >= 0) close(process);
  }
}

bool Lifelines::watched(int other) const noexcept {
  const int apart = std::abs(other - me_);
  return apart > 0 && std::min(apart, size_ - apart) <= kWatched;
}

int Lifelines::listen_here(Contact& contact) const {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof here;
  if (bind(listener, reinterpret_cast<sockaddr*>(&here), size) != 0 || listen(listener, 2 * kWatched) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    close(listener);
    return -1;
  }
  contact.port = here.sin_port;
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return listener;
  std::size_t count = 0;
  for (const ifaddrs* one = interfaces; one != nullptr && count < kAddresses; one = one->ifa_next) {
    const bool usable = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
                        (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (usable) contact.addresses[count++] = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr;
  }
  freeifaddrs(interfaces);
  return listener;
}

void Lifelines::connect_lower(const std::vector<Contact>& contacts, const std::vector<int>& node_of) {
  for (int other = 0; other < me_; ++other) {
    const Contact& contact = contacts[static_cast<std::size_t>(other)];
    if (!watched(other) || contact.port == 0) continue;
    std::vector<in_addr_t> addresses(contact.addresses.begin(), contact.addresses.end());
    if (node_of[static_cast<std::size_t>(other)] == node_of[static_cast<std::size_t>(me_)]) {
      addresses.insert(addresses.begin(), htonl(INADDR_LOOPBACK));
    }
    for (const in_addr_t address : addresses) {
      if (address == 0) continue;
      const int line = connect_to(address, contact.port, Clock::now() + kPatience / 5);
      if (line < 0) continue;
      const Hello hello{contact.token, me_};
      if (::send(line, &hello, sizeof hello, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello)) {
        lines_.push_back({other, line, false});
        break;
      }
      close(line);
    }
  }
}

// Whoever calls shows the token that only loader ranks know.
void Lifelines::accept_higher(int listener, const Contact& me) {
  int expected = 0;
  for (int other = me_ + 1; other < size_; ++other) expected += watched(other) ? 1 : 0;
  const auto end = Clock::now() + kPatience;
  while (expected > 0 && wait_for(listener, POLLIN, end)) {
    const int line = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (line < 0) continue;
    Hello hello;
    const bool known = wait_for(line, POLLIN, end) &&
                       recv(line, &hello, sizeof hello, MSG_WAITALL) == static_cast<ssize_t>(sizeof hello) &&
                       hello.token == me.token && hello.caller > me_ && hello.caller < size_;
    if (!known) {
      close(line);
      continue;
    }
    lines_.push_back({static_cast<int>(hello.caller), line, false});
    --expected;
  }
}

// Process numbers mean something only within one PID namespace. A handle taken while the process runs stays its own.
void Lifelines::hold_processes(const std::vector<Contact>& contacts) {
  const std::uint64_t here = pid_namespace();
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    if (contacts[r].pid == 0 || static_cast<int>(r) == me_ || contacts[r].pid_namespace != here) continue;
    processes_[r] = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(contacts[r].pid), 0U));
  }
}

std::vector<int> Lifelines::ended() {
  std::vector<int> ranks;
  const auto now = Clock::now();
  if (now - looked_ < kPause) return ranks;
  looked_ = now;
  std::erase_if(lines_, [&](Line& line) {
    std::byte word{};
    ssize_t got = 0;
    while ((got = recv(line.socket, &word, 1, MSG_DONTWAIT)) == 1) line.leaving = line.leaving || word == kLeaving;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
    if (!line.leaving) ranks.push_back(line.rank);
    close(line.socket);
    return true;
  });
  return ranks;
}

void Lifelines::fence(int rank) noexcept {
  const int process = processes_[static_cast<std::size_t>(rank)];
  if (process >= 0) syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0U);
}

void Lifelines::leave() noexcept {
  for (const Line& line : lines_) static_cast<void>(::send(line.socket, &kLeaving, 1, MSG_NOSIGNAL));
}

}  // namespace stowage::loader
