// SPDX-License-Identifier: Apache-2.0
// Damage to files on disk: loading goes back to the generation before, and says so. That every single byte counts is
// tested on the bytes of files (file_format_test.cpp); here, where each takes a load, every fifth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/log.hpp"
#include "checkpoint/load.hpp"
#include "checkpoint/samples.hpp"
#include "checkpoint/store.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::checkpoint {
namespace {

// Two generations, of which the newer is of the given kind.
class Fallback : public testing::TestWithParam<Kind> {
 protected:
  Fallback() {
    log().set_level(spdlog::level::off);  // a warning for each byte
    Store store(folder(), {GetParam() == Kind::base ? 1U : 2U, 1});
    Checkpoint run = test::sample_checkpoint(1, 2);
    store.write(run);
    before_ = run;
    test::advance(run, 3);
    newest_ = store.write(run);
    after_ = run;
    content_ = read();
  }
  std::string folder() const { return folder_.path().string(); }

  std::string read() const {
    std::ifstream file(newest_.path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // What is loaded with these bytes in place of the newest generation.
  std::optional<Loaded> load_with(const std::string& bytes) const {
    std::ofstream(newest_.path, std::ios::binary | std::ios::trunc) << bytes;
    return load(folder());
  }

  void expect_fallback(const std::string& bytes) const {
    const auto loaded = load_with(bytes);
    ASSERT_TRUE(loaded.has_value());
    EXPECT_EQ(loaded->checkpoint, before_);
    ASSERT_EQ(loaded->passed_over.size(), 1U);
    EXPECT_EQ(loaded->passed_over[0].generation, newest_);
    EXPECT_THAT(loaded->passed_over[0].reason, testing::StartsWith(newest_.path + ": "));
  }

  const test::TemporaryFolder folder_;
  Checkpoint before_, after_;
  Generation newest_;
  std::string content_;
};

TEST_P(Fallback, IsNotNeededWithoutDamage) {
  ASSERT_EQ(newest_.kind, GetParam());
  EXPECT_EQ(load_with(content_)->checkpoint, after_);
}

TEST_P(Fallback, AfterAFlippedByte) {
  for (std::size_t at = 0; at < content_.size(); at += 5) {
    std::string damaged = content_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    SCOPED_TRACE(at);
    expect_fallback(damaged);
  }
}

TEST_P(Fallback, AfterATruncation) {
  for (std::size_t length = 0; length < content_.size(); length += 1 + length % 13) {
    SCOPED_TRACE(length);
    expect_fallback(content_.substr(0, length));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Fallback, testing::Values(Kind::base, Kind::difference),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace stowage::checkpoint
