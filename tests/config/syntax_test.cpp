// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/documents.hpp"

namespace stowage::config::test {
namespace {

using namespace std::string_literals;

TEST(Syntax, ErrorIsNamedWithItsPlace) {
  const std::string yaml = small_with("batch: {sequences: 8}", "batch: {sequences: 8]");

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, "demo.yaml:3:21: YAML syntax: illegal flow end");
}

TEST(Syntax, ErrorDoesNotHideTheProblemsBeforeIt) {
  const std::string yaml = "stpes: 10\nseed: x\nbatch: {sequences: 8]\nmicro_batch: {tokens: 128}\n";

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found,
            "demo.yaml:1:1: unknown key 'stpes': did you mean 'steps'?\n"
            "demo.yaml:2:7: seed must be an integer >= 0, got 'x'\n"
            "demo.yaml:3:21: YAML syntax: illegal flow end");
}

TEST(Syntax, NothingUnreadIsCalledMissing) {
  const std::string yaml = "sources:\n  - {name: a, weight: 1}\n  - {name: b]\n";

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, "demo.yaml:3:13: YAML syntax: illegal flow end");
}

TEST(Syntax, EmptyTextSaysWhatIsNeeded) {
  const std::string expected =
      "demo.yaml:1:1: the configuration is empty: it needs at least batch, micro_batch, sources and steps or epochs";

  EXPECT_EQ(problems_of(""), expected);
  EXPECT_EQ(problems_of("# nothing but a comment\n"), expected);
  EXPECT_EQ(problems_of("---\n"), expected);
}

TEST(Syntax, RootThatIsNoMappingIsRefused) {
  EXPECT_EQ(problems_of("- a\n- b\n"), "demo.yaml:1:1: the configuration must be a mapping, got a list");
  EXPECT_EQ(problems_of("MMIDIDX"), "demo.yaml:1:1: the configuration must be a mapping, got 'MMIDIDX'");
}

TEST(Syntax, SecondDocumentIsRefused) {
  const std::string yaml = std::string(kSmall) + "---\nseed: 1\n";

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, "demo.yaml:8:1: a configuration is one YAML document, found a second one: remove it");
}

TEST(Syntax, MarkersAroundTheOneDocumentAreAccepted) {
  const std::string yaml = "%YAML 1.2\n---\n" + std::string(kSmall) + "...\n";

  EXPECT_EQ(problems_of(yaml), "");
}

TEST(Syntax, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  std::string yaml = "\xEF\xBB\xBF";
  for (const char c : kSmall) yaml += c == '\n' ? "\r\n"s : std::string(1, c);

  EXPECT_EQ(problems_of(yaml), "");
}

TEST(Syntax, ControlCharacterIsRefusedWhereItStands) {
  EXPECT_EQ(problems_of("seed: 1\nsteps: 1\x04\n"),
            "demo.yaml:2:9: control character 0x04: a configuration is UTF-8 text");
  EXPECT_EQ(problems_of("s\0e\0e\0d\0"s), "demo.yaml:1:2: control character 0x00: a configuration is UTF-8 text");
}

TEST(Syntax, BytesThatAreNotUtf8AreRefused) {
  for (const std::string bad : {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF"}) {
    const std::string found = problems_of("seed: 1\n# " + bad + "\n");

    EXPECT_TRUE(found.starts_with("demo.yaml:2:3: byte 0x")) << found;
    EXPECT_TRUE(found.ends_with(" is not UTF-8: save the file as UTF-8 text")) << found;
  }
}

TEST(Syntax, AnyUtf8IsAccepted) {
  const std::string yaml = small_with("books", "\xC3\xA9t\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x9A\xA2");

  EXPECT_EQ(problems_of(yaml), "");
}

TEST(Syntax, TagsAreRefused) {
  EXPECT_EQ(problems_of(small_with("steps: 10", "steps: !!int 10")),
            "demo.yaml:1:8: YAML tags are not supported, got 'tag:yaml.org,2002:int': remove it");
}

TEST(Syntax, AliasRepeatsItsNode) {
  const std::string yaml =
      "steps: &ten 10\nbatch: {sequences: *ten}\nmicro_batch: {tokens: 128}\n"
      "sources:\n  - {name: a, format: hdf5, path: &paths [x, y]}\n  - {name: b, format: hdf5, path: *paths}\n";

  const Parsed parsed = parse(yaml, "demo.yaml");

  EXPECT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.batch.sequences, 10U);
  EXPECT_EQ(parsed.config.sources[1].paths, (std::vector<std::string>{"x", "y"}));
}

TEST(Syntax, AliasOfAnUnfinishedNodeIsRefused) {
  const std::string yaml = small_with("[data/code-0.h5, data/code-1.h5]", "&paths [x, *paths]");

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found,
            "demo.yaml:7:49: an alias must not stand inside the node that it repeats\n"
            "demo.yaml:7:49: source 'code': path must be text, got nothing");
}

TEST(Syntax, AliasesOfAliasesDoNotMultiply) {
  std::string yaml = std::string(kSmall) + "x0: &x0 [a]\n";
  for (int level = 1; level < 60; ++level) {
    yaml += fmt::format("x{}: &x{} [*x{}, *x{}, *x{}]\n", level, level, level - 1, level - 1, level - 1);
  }

  const Parsed parsed = parse(yaml, "demo.yaml");

  EXPECT_EQ(parsed.problems.size(), 60U);  // the unknown keys
}

TEST(Syntax, DeepNestingIsRefused) {
  for (const std::string_view opening : {"[", "{", "- ", "? ", "{a: "}) {
    std::string yaml = "seed: 1\nsteps:\n  ";
    for (int level = 0; level < 100'000; ++level) yaml += opening;

    const std::string found = problems_of(yaml);

    EXPECT_NE(found.find(": YAML syntax: nested too deeply"), std::string::npos) << found;
  }
}

TEST(Syntax, LongTextsAreCutInMessages) {
  const std::string yaml = small_with("steps: 10", "steps: " + std::string(1'000'000, 'x'));

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, "demo.yaml:1:8: steps must be an integer >= 1, got '" + std::string(48, 'x') + "...'");
}

}  // namespace
}  // namespace stowage::config::test
