// SPDX-License-Identifier: Apache-2.0
#include "read/shard_copier.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "source/input_file.hpp"

namespace stowage::read {
namespace {

constexpr std::uint64_t kAccess = std::uint64_t{8} << 20;
constexpr std::chrono::milliseconds kPause{10};

// While it lives, threads that are started take no signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

ShardCopier::ShardCopier(const CacheFolder& folder) : folder_(folder) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

ShardCopier::~ShardCopier() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ShardCopier::ask(FileIdentity file) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || std::ranges::find(asked_, file) != asked_.end()) return;
    asked_.push_back(std::move(file));
  }
  changed_.notify_one();
}

bool ShardCopier::stopping() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

bool ShardCopier::pause() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kPause, [this] { return stop_; });
}

void ShardCopier::run() noexcept {
  try {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !asked_.empty(); });
      if (stop_) return;
      const FileIdentity file = std::move(asked_.front());
      asked_.pop_front();
      lock.unlock();
      copy(file);
    }
  } catch (...) {
    log().warn("no more data files are copied to {}: {}; they are read from where they are", folder_.directory(),
               current_exception_status().second);
    const std::lock_guard lock(mutex_);
    stop_ = true;
    asked_.clear();
  }
}

std::unique_ptr<PartialCopy> ShardCopier::reserve(const FileIdentity& file) {
  do {
    CacheFolder::Reservation reservation = folder_.reserve(file);
    if (reservation.room == CacheFolder::Room::full && !std::exchange(said_full_, true)) {
      log().info("{} has no room for a copy of {} ({})", folder_.directory(), file.path, human_bytes(file.size));
    }
    if (reservation.room != CacheFolder::Room::locked) return std::move(reservation.copy);
  } while (pause());
  return nullptr;
}

void ShardCopier::copy(const FileIdentity& file) {
  const source::InputFile original(file.path);
  if (identify(original.fd(), file.path) != file) return;
  const std::unique_ptr<PartialCopy> copy = reserve(file);
  if (!copy) return;
  Bytes buffer(std::min(kAccess, file.size));
  for (std::uint64_t at = 0; at < file.size; at += kAccess) {
    if (stopping()) return;
    const ByteSpan part = ByteSpan(buffer).first(std::min(kAccess, file.size - at));
    original.read(at, part);
    copy->write_at(at, part);
  }
  copy->flush();
  if (identify(original.fd(), file.path) != file) return;
  while (!folder_.publish(*copy)) {
    if (!pause()) return;
  }
  log().info("{} is copied to {}", file.path, folder_.directory());
}

}  // namespace stowage::read
