// SPDX-License-Identifier: Apache-2.0
// Expectations on stowage::Error.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

// The statement throws stowage::Error with this status and a message that contains `text`.
#define EXPECT_ERROR(statement, expected_status, text)                                             \
  try {                                                                                            \
    statement;                                                                                     \
    ADD_FAILURE() << "expected " << ::stowage::status_name(expected_status) << " with '" << (text) \
                  << "', but " #statement " threw nothing";                                        \
  } catch (const ::stowage::Error& error) {                                                        \
    EXPECT_EQ(::stowage::status_name(error.status()), ::stowage::status_name(expected_status));    \
    EXPECT_THAT(error.what(), testing::HasSubstr(text));                                           \
  }
