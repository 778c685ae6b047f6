// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/text_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/errors.hpp"

namespace stowage::checkpoint {
namespace {

using namespace std::string_literals;

TEST(TextTable, RowsAreLinesWithTabsBetweenTheirColumns) {
  TextTable table;
  table.add({"seed", "1"}).add({"a\tb", "c\nd\\e\0"s});

  EXPECT_EQ(table.text(), "seed\t1\na\\tb\tc\\nd\\\\e\\0\n");
}

TEST(TextTable, AnyBytesComeBackAsTheyWere) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(
        rc::gen::container<std::vector<std::string>>(2, rc::gen::string<std::string>()));
    TextTable table;
    for (const auto& row : rows) table.add({row[0], row[1]});

    RC_ASSERT(parse_table(table.text(), 2, "text") == rows);
  }));
}

TEST(TextTable, WhatIsNoTableIsRefusedWithItsPlace) {
  EXPECT_ERROR(parse_table("a\tb\nc\n", 2, "x"), STOWAGE_DATA_ERROR, "x: line 2: expected 2 columns, found 1");
  EXPECT_ERROR(parse_table("a", 1, "x"), STOWAGE_DATA_ERROR, "x: byte 1: expected a newline at the end, found none");
  EXPECT_ERROR(parse_table("a\\x\n", 1, "x"), STOWAGE_DATA_ERROR,
               "x: byte 2: expected one of \\t0n behind a backslash");
  EXPECT_ERROR(parse_table("a\\\n", 1, "x"), STOWAGE_DATA_ERROR, "found byte value 10");
}

}  // namespace
}  // namespace stowage::checkpoint
