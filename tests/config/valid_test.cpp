// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/documents.hpp"

namespace stowage::config::test {
namespace {

TEST(Valid, EveryKeyReachesItsPlace) {
  const std::string_view yaml =
      "seed: 18446744073709551615\n"
      "data_parallel: 4\n"
      "epochs: 3\n"
      "batch: {tokens: 131072, last: drop}\n"
      "micro_batch: {tokens: 8192, pad_segments_to: 16, pad_to_cap: true, equal_counts: false, pad_token: 50256}\n"
      "over_long: split\n"
      "zero_length: drop\n"
      "weights: tokens\n"
      "io: collective\n"
      "exchange: by_node\n"
      "delivery: messages\n"
      "vocab_size: 50257\n"
      "cost: {linear: 0.5, quadratic: 2e3}\n"
      "prefetch: {steps: 7}\n"
      "limits: {open_files: 9, shared_bytes: 4096, acquire_seconds: 1.5, peer_seconds: 2.5, trainer_seconds: 3}\n"
      "sources:\n"
      "  - {name: books, format: hdf5, path: x.h5, weight: 0.25, over_long: drop, zero_length: keep,\n"
      "     order: sequential, sample: document, vocab_size: 256}\n";

  const Parsed parsed = parse(yaml, "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  const Config& config = parsed.config;
  EXPECT_EQ(config.file, "demo.yaml");
  EXPECT_EQ(config.seed, 18446744073709551615U);
  EXPECT_EQ(config.data_parallel, 4U);
  EXPECT_EQ(config.epochs, 3U);
  EXPECT_EQ(config.steps, std::nullopt);
  EXPECT_EQ(config.batch.tokens, 131072U);
  EXPECT_EQ(config.batch.sequences, 0U);
  EXPECT_EQ(config.batch.last, LastBatch::drop);
  EXPECT_EQ(config.batch.mark, (Mark{4, 8}));
  EXPECT_EQ(config.micro_batch.tokens, 8192U);
  EXPECT_EQ(config.micro_batch.pad_segments_to, 16U);
  EXPECT_TRUE(config.micro_batch.pad_to_cap);
  EXPECT_FALSE(config.micro_batch.equal_counts);
  EXPECT_EQ(config.micro_batch.pad_token, 50256);
  EXPECT_EQ(config.weight_unit, WeightUnit::tokens);
  EXPECT_FALSE(config.natural_weights);
  EXPECT_EQ(config.io, Io::collective);
  EXPECT_EQ(config.exchange, Exchange::by_node);
  EXPECT_EQ(config.delivery, Delivery::messages);
  EXPECT_EQ(config.cost.linear, 0.5);
  EXPECT_EQ(config.cost.quadratic, 2000.0);
  EXPECT_EQ(config.prefetch.steps, 7U);
  EXPECT_EQ(config.limits.open_files, 9U);
  EXPECT_EQ(config.limits.shared_bytes, 4096U);
  EXPECT_EQ(config.limits.acquire_seconds, 1.5);
  EXPECT_EQ(config.limits.peer_seconds, 2.5);
  EXPECT_EQ(config.limits.trainer_seconds, 3.0);
  ASSERT_EQ(config.sources.size(), 1U);
  const Source& source = config.sources[0];
  EXPECT_EQ(source.name, "books");
  EXPECT_EQ(source.format, Format::hdf5);
  EXPECT_EQ(source.paths, std::vector<std::string>{"x.h5"});
  EXPECT_EQ(source.weight, 0.25);
  EXPECT_EQ(source.over_long, OverLong::drop);
  EXPECT_EQ(source.zero_length, ZeroLength::keep);
  EXPECT_EQ(source.order, Order::sequential);
  EXPECT_EQ(source.sample, SampleUnit::document);
  EXPECT_EQ(source.vocab_size, 256U);
  EXPECT_EQ(source.mark, (Mark{17, 5}));
  EXPECT_EQ(source.path_mark, (Mark{17, 39}));
  EXPECT_EQ(source.weight_mark, (Mark{17, 53}));
}

TEST(Valid, SourcesTakeTheDefaultsOfTheFile) {
  const std::string yaml = small_with("steps: 10", "steps: 10\nover_long: truncate\nzero_length: drop\nvocab_size: 99");

  const Parsed parsed = parse(yaml, "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources[1].over_long, OverLong::truncate);
  EXPECT_EQ(parsed.config.sources[1].zero_length, ZeroLength::drop);
  EXPECT_EQ(parsed.config.sources[1].vocab_size, 99U);
}

TEST(Valid, AbsentKeysKeepTheirDefaults) {
  const Parsed parsed = parse(kSmall, "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  const Config defaults;
  EXPECT_EQ(parsed.config.seed, defaults.seed);
  EXPECT_EQ(parsed.config.io, defaults.io);
  EXPECT_EQ(parsed.config.exchange, Exchange::automatic);
  EXPECT_EQ(parsed.config.delivery, Delivery::automatic);
  EXPECT_EQ(parsed.config.batch.last, LastBatch::deliver);
  EXPECT_EQ(parsed.config.micro_batch.context_parallel, 1U);
  EXPECT_EQ(parsed.config.micro_batch.pad_segments_to, 1U);
  EXPECT_TRUE(parsed.config.micro_batch.equal_counts);
  EXPECT_EQ(parsed.config.prefetch.steps, defaults.prefetch.steps);
  EXPECT_EQ(parsed.config.limits.acquire_seconds, defaults.limits.acquire_seconds);
  EXPECT_EQ(parsed.config.limits.peer_seconds, defaults.limits.peer_seconds);
  EXPECT_EQ(parsed.config.limits.trainer_seconds, defaults.limits.trainer_seconds);
  EXPECT_EQ(parsed.config.sources[0].over_long, OverLong::error);
  EXPECT_EQ(parsed.config.sources[0].vocab_size, std::nullopt);
}

TEST(Valid, TheCacheLiesWhereTheFileSays) {
  const Parsed absolute =
      parse(std::string(kSmall) + "cache: {directory: /local/scratch, bytes: 107374182400}\n", "folder/demo.yaml");
  const Parsed relative = parse(std::string(kSmall) + "cache: {directory: scratch, bytes: 1}\n", "folder/demo.yaml");
  const Parsed none = parse(kSmall, "folder/demo.yaml");

  ASSERT_EQ(describe("demo.yaml", absolute.problems), "");
  EXPECT_EQ(absolute.config.cache.directory, "/local/scratch");
  EXPECT_EQ(absolute.config.cache.bytes, 107'374'182'400U);
  EXPECT_EQ(relative.config.cache.directory, "folder/scratch");
  EXPECT_EQ(none.config.cache.directory, "");
}

TEST(Valid, ContextParallelismPadsSegmentsToItsChunks) {
  const std::string yaml = small_with("data_parallel: 2", "data_parallel: 2\ncontext_parallel: 8");

  const Parsed parsed = parse(yaml, "demo.yaml");
  const Parsed more = parse(small_with("{tokens: 128}",
                                       "{tokens: 96, pad_segments_to: 48, pad_to_cap: true}\n"
                                       "context_parallel: 3"),
                            "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.micro_batch.context_parallel, 8U);
  EXPECT_EQ(parsed.config.micro_batch.pad_segments_to, 16U);
  ASSERT_EQ(describe("demo.yaml", more.problems), "");
  EXPECT_EQ(more.config.micro_batch.context_parallel, 3U);
  EXPECT_EQ(more.config.micro_batch.pad_segments_to, 48U);
}

TEST(Valid, WeightZeroDisablesASource) {
  const Parsed parsed = parse(small_with("weight: 1", "weight: -0.0"), "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources[0].weight, 0.0);
  EXPECT_FALSE(parsed.config.natural_weights);
}

TEST(Valid, WithoutWeightsSourcesCountByTheirSize) {
  std::string yaml = small_with(", weight: 1", "");
  yaml.erase(yaml.find(", weight: 2.5"), std::string_view(", weight: 2.5").size());

  const Parsed parsed = parse(yaml, "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_TRUE(parsed.config.natural_weights);
}

TEST(Valid, RelativePathsStartAtTheFolderOfTheFile) {
  const std::string yaml = small_with("path: data/books", "path: [data/*, /abs/olute, ../up]");

  const Parsed parsed = parse(yaml, "/conf/run/demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources[0].paths,
            (std::vector<std::string>{"/conf/run/data/*", "/abs/olute", "/conf/run/../up"}));
}

TEST(Valid, FolderOfTheFileIsNoGlob) {
  const std::string yaml = small_with("path: data/books", "path: [data/books, data/*]");

  const Parsed parsed = parse(yaml, "/conf/run[1]/demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources[0].paths,
            (std::vector<std::string>{"/conf/run[1]/data/books", "/conf/run\\[1]/data/*"}));
}

TEST(Valid, NamesThatLookLikeNumbersAreText) {
  const Parsed parsed =
      parse(small_with("name: books, format: megatron, path: data/books", "name: 007, format: megatron, path: 1"),
            "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources[0].name, "007");
  EXPECT_EQ(parsed.config.sources[0].paths, std::vector<std::string>{"1"});
}

TEST(Valid, CapThatHoldsOnePaddedTokenIsAccepted) {
  EXPECT_EQ(problems_of(small_with("{tokens: 128}", "{tokens: 128, pad_segments_to: 128}")), "");
}

TEST(Valid, AsManyReplicasAsSequencesAreAccepted) {
  EXPECT_EQ(problems_of(small_with("data_parallel: 2", "data_parallel: 8")), "");
}

TEST(Valid, TwoAndAHalfThousandSourcesAreReadAtOnce) {
  std::string yaml = "epochs: 1\nbatch: {sequences: 1}\nmicro_batch: {tokens: 8}\nsources:\n";
  for (int i = 0; i < 2500; ++i) yaml += fmt::format("  - {{name: s{}, format: megatron, path: p{}}}\n", i, i);

  const Parsed parsed = parse(yaml, "demo.yaml");

  ASSERT_EQ(describe("demo.yaml", parsed.problems), "");
  EXPECT_EQ(parsed.config.sources.size(), 2500U);
}

TEST(Wrong, TextLeavesSourcesThatCanBeLookedAt) {
  const std::string_view yaml =
      "over_long: often\n"
      "sources:\n"
      "  - {name: a, format: tar, path: a}\n"
      "  - {name: b, format: hdf5, path: b, weight: -1}\n"
      "  - {name: c, format: hdf5, path: c}\n";

  const Parsed parsed = parse(yaml, "demo.yaml");

  ASSERT_EQ(parsed.config.sources.size(), 3U);
  EXPECT_TRUE(parsed.complete);
  EXPECT_TRUE(parsed.config.sources[0].paths.empty());
  EXPECT_EQ(parsed.config.sources[1].paths, std::vector<std::string>{"b"});
  EXPECT_EQ(parsed.config.sources[1].weight, 1.0);
  EXPECT_EQ(parsed.config.sources[2].weight, 1.0);
  EXPECT_EQ(parsed.config.sources[2].over_long, OverLong::truncate);
}

TEST(Wrong, SyntaxLeavesTheTextIncomplete) {
  EXPECT_FALSE(parse("sources: [", "demo.yaml").complete);
  EXPECT_FALSE(parse("\x01", "demo.yaml").complete);
}

}  // namespace
}  // namespace stowage::config::test
