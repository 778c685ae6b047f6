// SPDX-License-Identifier: Apache-2.0
#include "mpi/outlive.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace stowage::mpi {
namespace {

class BrokenPipes : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_DFL);
    ASSERT_EQ(pipe(ends_.data()), 0);
    close(ends_[0]);
  }
  void TearDown() override { close(ends_[1]); }

  ssize_t write_one() const { return write(ends_[1], "x", 1); }

  std::array<int, 2> ends_{};
};

TEST_F(BrokenPipes, AreErrorsOfTheCall) {
  ignore_broken_pipes();

  EXPECT_EQ(write_one(), -1);
  EXPECT_EQ(errno, EPIPE);
}

volatile std::sig_atomic_t handled = 0;

TEST_F(BrokenPipes, AreLeftToTheHandlerOfTheProgram) {
  std::signal(SIGPIPE, [](int) { handled = 1; });

  ignore_broken_pipes();

  EXPECT_EQ(write_one(), -1);
  EXPECT_EQ(handled, 1);
}

}  // namespace
}  // namespace stowage::mpi
