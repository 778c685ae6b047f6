// SPDX-License-Identifier: Apache-2.0
#include "loader/changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stowage::loader {
namespace {

using checkpoint::Fingerprint;
using testing::ElementsAre;
using testing::IsEmpty;

Fingerprint::Source source(const std::string& name) {
  return {name, 10, 100, {1, 2}, {{name + ".bin", 200, 7}, {name + ".idx", 300, 8}}};
}

Fingerprint two_sources() {
  Fingerprint fingerprint;
  fingerprint.settings = {{"seed", "1"},
                          {"batch.sequences", "8"},
                          {"sources.a.weight", "1"},
                          {"sources.a.order", "shuffled"},
                          {"sources.b.weight", "2"},
                          {"sources.b.order", "shuffled"}};
  fingerprint.sources = {source("a"), source("b")};
  return fingerprint;
}

struct Seen {
  std::string text;
  Effect effect;
  bool mixture;
  friend bool operator==(const Seen&, const Seen&) = default;
};

void PrintTo(const Seen& seen, std::ostream* out) {
  *out << seen.text << " (effect " << static_cast<int>(seen.effect) << ", mixture " << seen.mixture << ")";
}

std::vector<Seen> seen(const Fingerprint& then, const Fingerprint& now) {
  std::vector<Seen> all;
  for (const Change& change : changes_between(then, now)) all.push_back({change.text(), change.effect, change.mixture});
  return all;
}

TEST(Changes, AreNoneBetweenEqualFingerprints) {
  EXPECT_THAT(seen(two_sources(), two_sources()), IsEmpty());
}

TEST(Changes, OfSettingsAreNamedWithBothValuesAndTheirEffect) {
  Fingerprint now = two_sources();
  now.settings[0].value = "2";
  now.settings[1].value = "16";
  now.settings[2].value = "0.5";
  now.settings[5].value = "sequential";
  now.settings.push_back({"epochs", "3"});

  EXPECT_THAT(seen(two_sources(), now),
              ElementsAre(Seen{"seed: 1 in the checkpoint, 2 now", Effect::refused, false},
                          Seen{"batch.sequences: 8 in the checkpoint, 16 now", Effect::input, false},
                          Seen{"sources.a.weight: 1 in the checkpoint, 0.5 now", Effect::input, true},
                          Seen{"sources.b.order: shuffled in the checkpoint, sequential now", Effect::refused, false},
                          Seen{"epochs: absent in the checkpoint, 3 now", Effect::input, true}));
}

TEST(Changes, OfDataAreRefusedAndNamed) {
  Fingerprint now = two_sources();
  now.sources[0].sequences = 11;
  now.sources[0].index = {3, 4};
  now.sources[1].files[0].bytes = 201;

  EXPECT_THAT(
      seen(two_sources(), now),
      ElementsAre(
          Seen{"sources.a: 10 sequences of 100 tokens in the checkpoint, 11 of 100 now", Effect::refused, true},
          Seen{"sources.a: index (lengths of all sequences): 00000000000000010000000000000002 in the checkpoint, "
               "00000000000000030000000000000004 now",
               Effect::refused, false},
          Seen{"sources.b.path: b.bin: 200 bytes in the checkpoint, 201 bytes now", Effect::refused, false}));
}

TEST(Changes, AMovedOrTouchedFileWithAnEqualIndexChangesNothing) {
  Fingerprint now = two_sources();
  now.sources[0].files[0].modified_ns = 9;
  now.sources[1].files[1].path = "elsewhere/b.idx";

  EXPECT_THAT(
      seen(two_sources(), now),
      ElementsAre(Seen{"sources.a.path: a.bin: changed at 7 ns in the checkpoint, at 9 ns now", Effect::none, false},
                  Seen{"sources.b.path: file: b.idx in the checkpoint, elsewhere/b.idx now", Effect::none, false}));
}

TEST(Changes, AnAddedSourceIsOneInputAndAMissingOneOneRefusal) {
  Fingerprint more = two_sources();
  more.sources.insert(more.sources.begin(), source("new"));
  more.settings.push_back({"sources.new.weight", "1"});

  EXPECT_THAT(seen(two_sources(), more),
              ElementsAre(Seen{"sources.new: absent in the checkpoint, 10 sequences now", Effect::input, true}));
  EXPECT_THAT(seen(more, two_sources()),
              ElementsAre(Seen{"sources.new: present in the checkpoint, absent now", Effect::refused, true}));
}

TEST(Changes, AnotherOrderOfSourcesBeginsANewStage) {
  Fingerprint now = two_sources();
  std::swap(now.sources[0], now.sources[1]);

  EXPECT_THAT(seen(two_sources(), now),
              ElementsAre(Seen{"sources: a, b in the checkpoint, b, a now", Effect::input, true}));
}

TEST(Changes, ADisabledSourceHasNoDataToCompareButIsRemembered) {
  const Fingerprint then = two_sources();
  Fingerprint now = two_sources();
  now.settings[4].value = "0";
  now.sources[1] = {};
  now.sources[1].name = "b";

  EXPECT_THAT(seen(then, now), ElementsAre(Seen{"sources.b.weight: 2 in the checkpoint, 0 now", Effect::input, true}));
  EXPECT_EQ(with_known_data(now, then).sources[1], then.sources[1]);
}

}  // namespace
}  // namespace stowage::loader
