// SPDX-License-Identifier: Apache-2.0
// A folder, an import into it, and what came out.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importer/import.hpp"
#include "support/plain_megatron.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::importer {

using Sequences = std::vector<std::vector<std::int64_t>>;

inline std::vector<std::int64_t> bytes(std::string_view text) {
  std::vector<std::int64_t> result;
  for (const char byte : text) result.push_back(static_cast<unsigned char>(byte));
  return result;
}

class ImportTest : public testing::Test {
 protected:
  ImportTest() { options_.output = folder_.file("out"); }

  ImportSummary import(const std::vector<std::string>& inputs) {
    options_.inputs = inputs;
    return run_import(options_, [](const ImportSummary&) {});
  }

  Sequences sequences() const { return test::read_plain_megatron(folder_.file("out")).sequences; }

  test::TemporaryFolder folder_;
  ImportOptions options_;
};

}  // namespace stowage::importer
