// SPDX-License-Identifier: Apache-2.0
// The reference's example is a configuration that stowage accepts.
#include <gtest/gtest.h>

#include "config/documents.hpp"

namespace stowage::config::test {
namespace {

std::string first_yaml_block(const std::string& markdown) {
  constexpr std::string_view fence = "```yaml\n";
  const std::size_t begin = markdown.find(fence);
  if (begin == std::string::npos) return "";
  const std::size_t first = begin + fence.size();
  return markdown.substr(first, markdown.find("```", first) - first);
}

TEST(Documentation, FullExampleIsAccepted) {
  const std::string yaml = first_yaml_block(read_text(STOWAGE_DOCS_DIR "/configuration.md"));

  ASSERT_FALSE(yaml.empty());
  EXPECT_EQ(problems_of(yaml), "");
}

}  // namespace
}  // namespace stowage::config::test
