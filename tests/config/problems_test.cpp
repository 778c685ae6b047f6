// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostream>

#include "base/error.hpp"
#include "config/documents.hpp"

namespace stowage::config::test {
namespace {

struct Row {
  const char* name;
  std::string_view old_text;  // in kSmall
  std::string_view new_text;
  std::string_view expected;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.new_text;
}

class Problems : public testing::TestWithParam<Row> {};

TEST_P(Problems, AreNamedWithPlaceExpectationAndValue) {
  const std::string yaml = small_with(GetParam().old_text, GetParam().new_text);

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, GetParam().expected);
}

std::string name_of(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    OfIntegers, Problems,
    testing::Values(
        Row{"Word", "steps: 10", "steps: abc", "demo.yaml:1:8: steps must be an integer >= 1, got 'abc'"},
        Row{"Zero", "steps: 10", "steps: 0", "demo.yaml:1:8: steps must be an integer >= 1, got 0"},
        Row{"Negative", "steps: 10", "steps: -3", "demo.yaml:1:8: steps must be an integer >= 1, got -3"},
        Row{"LeadingZero", "steps: 10", "steps: 08",
            "demo.yaml:1:8: steps must be an integer >= 1, got '08': write it without leading zeros"},
        Row{"Octal", "steps: 10", "steps: 0o17",
            "demo.yaml:1:8: steps must be an integer >= 1, got '0o17': write it in decimal"},
        Row{"Hexadecimal", "steps: 10", "steps: 0x10",
            "demo.yaml:1:8: steps must be an integer >= 1, got '0x10': write it in decimal"},
        Row{"Exponent", "steps: 10", "steps: 1e3",
            "demo.yaml:1:8: steps must be an integer >= 1, got '1e3': write it as an integer, all digits, without "
            "point and exponent"},
        Row{"Point", "steps: 10", "steps: 10.0",
            "demo.yaml:1:8: steps must be an integer >= 1, got '10.0': write it as an integer, all digits, without "
            "point and exponent"},
        Row{"Plus", "steps: 10", "steps: +10",
            "demo.yaml:1:8: steps must be an integer >= 1, got '+10': write it without '+'"},
        Row{"Separators", "steps: 10", "steps: 10_000",
            "demo.yaml:1:8: steps must be an integer >= 1, got '10_000': write it without separators"},
        Row{"Quoted", "steps: 10", "steps: \"10\"",
            "demo.yaml:1:8: steps must be an integer >= 1, got \"10\": remove the quotes"},
        Row{"Nothing", "steps: 10", "steps:", "demo.yaml:1:1: steps must be an integer >= 1, got nothing"},
        Row{"List", "steps: 10", "steps: [10]", "demo.yaml:1:8: steps must be an integer >= 1, got a list"},
        Row{"Mapping", "steps: 10", "steps: {a: 10}", "demo.yaml:1:8: steps must be an integer >= 1, got a mapping"},
        Row{"Boolean", "steps: 10", "steps: true", "demo.yaml:1:8: steps must be an integer >= 1, got 'true'"},
        Row{"AboveSigned64Bits", "steps: 10", "steps: 9223372036854775808",
            "demo.yaml:1:8: steps must be an integer <= 9223372036854775807, got 9223372036854775808"},
        Row{"AboveUnsigned64Bits", "steps: 10", "steps: 10\nseed: 18446744073709551616",
            "demo.yaml:2:7: seed must be an integer <= 18446744073709551615, got 18446744073709551616"},
        Row{"NegativeSeed", "steps: 10", "steps: 10\nseed: -1", "demo.yaml:2:7: seed must be an integer >= 0, got -1"},
        Row{"TooManyReplicas", "data_parallel: 2", "data_parallel: 1048577",
            "demo.yaml:2:16: data_parallel must be an integer <= 1048576, got 1048577"},
        Row{"PadTokenAboveSigned64Bits", "tokens: 128", "tokens: 128, pad_token: 9223372036854775808",
            "demo.yaml:4:39: micro_batch.pad_token must be an integer <= 9223372036854775807, got "
            "9223372036854775808"},
        Row{"NegativePadToken", "tokens: 128", "tokens: 128, pad_token: -1",
            "demo.yaml:4:39: micro_batch.pad_token must be an integer >= 0, got -1"},
        Row{"TooManyEpochs", "steps: 10", "epochs: 1000000001",
            "demo.yaml:1:9: epochs must be an integer <= 1000000000, got 1000000001"},
        Row{"ZeroVocabulary", "steps: 10", "steps: 10\nvocab_size: 0",
            "demo.yaml:2:13: vocab_size must be an integer >= 1, got 0"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfWeights, Problems,
    testing::Values(
        Row{"Negative", "weight: 1", "weight: -1",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got -1"},
        Row{"NotANumber", "weight: 1", "weight: .nan",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got '.nan'"},
        Row{"NanWord", "weight: 1", "weight: nan",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got 'nan'"},
        Row{"Infinite", "weight: 1", "weight: .inf",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got '.inf'"},
        Row{"Overflowing", "weight: 1", "weight: 1e999",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got '1e999'"},
        Row{"Word", "weight: 1", "weight: much",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got 'much'"},
        Row{"Quoted", "weight: 1", "weight: '1'",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got \"1\": remove the quotes"},
        Row{"Hexadecimal", "weight: 1", "weight: 0x1",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got '0x1': write it in decimal"},
        Row{"LeadingZero", "weight: 1", "weight: 08",
            "demo.yaml:6:63: source 'books': weight must be a finite number >= 0, got '08': write it without leading "
            "zeros"},
        Row{"MissingInOneSource", ", weight: 1", "",
            "demo.yaml:6:5: source 'books': weight is missing: give every source a weight, or none"},
        Row{"AllZero", "weight: 1}\n  - {name: code, format: hdf5, path: [data/code-0.h5, data/code-1.h5], weight: 2.5",
            "weight: 0}\n  - {name: code, format: hdf5, path: data/code-0.h5, weight: 0.0",
            "demo.yaml:6:63: the weights of all sources are 0: give at least one a weight > 0"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfKeys, Problems,
    testing::Values(
        Row{"MisspeltAtTheTop", "data_parallel", "data_paralel",
            "demo.yaml:2:1: unknown key 'data_paralel': did you mean 'data_parallel'?"},
        Row{"MisspeltInASection", "{tokens: 128}", "{tokens: 128, pad_to_cup: true}",
            "demo.yaml:4:28: unknown key 'micro_batch.pad_to_cup': did you mean 'pad_to_cap'?"},
        Row{"MisspeltInASource", "weight: 1}", "weight: 1, oder: sequential}",
            "demo.yaml:6:66: source 'books': unknown key 'oder': did you mean 'order'?"},
        Row{"Foreign", "{sequences: 8}", "{sequences: 8, gradient_accumulation: 4}",
            "demo.yaml:3:23: unknown key 'batch.gradient_accumulation': expected one of sequences, tokens, last"},
        Row{"MergeKey", "steps: 10", "steps: 10\n<<: {}",
            "demo.yaml:2:1: unknown key '<<': expected one of seed, data_parallel, steps, epochs, io, exchange, "
            "delivery, cost, "
            "defer, checkpoint, cache, prefetch, shadows, limits, context_parallel, batch, micro_batch, over_long, "
            "zero_length, vocab_size, weights, sources"},
        Row{"Duplicate", "steps: 10", "steps: 10\nsteps: 20",
            "demo.yaml:2:1: duplicate key 'steps': first given at line 1"},
        Row{"DuplicateInASource", "weight: 1}", "weight: 1, path: data/more}",
            "demo.yaml:6:66: source 'books': duplicate key 'path': first given at line 6"},
        Row{"NotText", "steps: 10", "steps: 10\n? [a, b]\n: 1", "demo.yaml:2:3: a key must be text, got a list"},
        Row{"MissingBatch", "batch: {sequences: 8}\n", "",
            "demo.yaml:1:1: batch is missing: it gives the size of a global batch, as {sequences: N} or {tokens: N}"},
        Row{"MissingMicroBatch", "micro_batch: {tokens: 128}\n", "",
            "demo.yaml:1:1: micro_batch is missing: it gives the token cap of a micro-batch, as {tokens: N}"},
        Row{"MissingCap", "{tokens: 128}", "{pad_to_cap: true}",
            "demo.yaml:4:14: micro_batch.tokens is missing: it is the most tokens that a micro-batch may hold, padding "
            "included"},
        Row{"MissingName", "name: books, ", "",
            "demo.yaml:6:5: source 1: name is missing: it names the source in reports and keys its shuffled order"},
        Row{"MissingFormat", "format: megatron, ", "",
            "demo.yaml:6:5: source 'books': format is missing: it must be megatron or hdf5"},
        Row{"MissingPath", "path: data/books, ", "",
            "demo.yaml:6:5: source 'books': path is missing: it names the source's files, as one path or a list of "
            "paths"},
        Row{"CacheWithoutAFolder", "steps: 10", "steps: 10\ncache: {bytes: 1000}",
            "demo.yaml:2:8: cache.directory is missing: it names the folder of this node that copies of data files are "
            "kept in"},
        Row{"CacheWithoutABound", "steps: 10", "steps: 10\ncache: {directory: /local}",
            "demo.yaml:2:8: cache.bytes is missing: it bounds what the copies take"},
        Row{"CacheOfNothing", "steps: 10", "steps: 10\ncache: {directory: /local, bytes: 0}",
            "demo.yaml:2:35: cache.bytes must be an integer >= 1, got 0"},
        Row{"CacheWithCollectiveReading", "steps: 10",
            "steps: 10\nio: collective\ncache: {directory: /local, bytes: 1000}",
            "demo.yaml:3:8: a cache needs io: cooperative: in a collective transfer all ranks read from the same file"},
        Row{"NeitherStepsNorEpochs", "steps: 10\n", "", "demo.yaml:1:1: either steps or epochs is missing"},
        Row{"BothStepsAndEpochs", "steps: 10", "steps: 10\nepochs: 1",
            "demo.yaml:2:1: give either steps or epochs, not both"},
        Row{"NeitherSequencesNorTokens", "{sequences: 8}", "{last: drop}",
            "demo.yaml:3:8: either batch.sequences or batch.tokens is missing"},
        Row{"BothSequencesAndTokens", "{sequences: 8}", "{tokens: 4096, sequences: 8}",
            "demo.yaml:3:23: give either batch.sequences or batch.tokens, not both"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfKinds, Problems,
    testing::Values(
        Row{"BatchIsANumber", "batch: {sequences: 8}", "batch: 8", "demo.yaml:3:8: batch must be a mapping, got '8'"},
        Row{"MicroBatchIsNothing", "micro_batch: {tokens: 128}",
            "micro_batch:", "demo.yaml:4:1: micro_batch must be a mapping, got nothing"},
        Row{"SourceIsText", "  - {name: books, format: megatron, path: data/books, weight: 1}", "  - data/books",
            "demo.yaml:6:5: source 1 must be a mapping, got 'data/books'"},
        Row{"SourceIsNothing", "  - {name: books, format: megatron, path: data/books, weight: 1}", "  - ~",
            "demo.yaml:6:5: source 1 must be a mapping, got nothing"},
        Row{"BooleanYes", "{tokens: 128}", "{tokens: 128, pad_to_cap: yes}",
            "demo.yaml:4:40: micro_batch.pad_to_cap must be true or false, got 'yes'"},
        Row{"BooleanQuoted", "{tokens: 128}", "{tokens: 128, equal_counts: \"true\"}",
            "demo.yaml:4:42: micro_batch.equal_counts must be true or false, got \"true\""},
        Row{"BooleanNumber", "{tokens: 128}", "{tokens: 128, equal_counts: 1}",
            "demo.yaml:4:42: micro_batch.equal_counts must be true or false, got '1'"},
        Row{"EmptyName", "name: books", "name: ''", "demo.yaml:6:12: source 1: name must not be empty"},
        Row{"NameIsNothing", "name: books", "name: ", "demo.yaml:6:6: source 1: name must be text, got nothing"},
        Row{"ControlCharacterInAName", "name: books", "name: \"a\\nb\"",
            "demo.yaml:6:12: source 'a b': name must not contain control characters, got \"a b\""},
        Row{"EmptyPath", "path: data/books", "path: \"\"", "demo.yaml:6:43: source 'books': path must not be empty"},
        Row{"EmptyPathInAList", "path: data/books", "path: [data/books, '']",
            "demo.yaml:6:56: source 'books': path must not be empty"},
        Row{"EmptyListOfPaths", "path: data/books", "path: []",
            "demo.yaml:6:43: source 'books': path must not be an empty list"},
        Row{"PathIsAMapping", "path: data/books", "path: {a: b}",
            "demo.yaml:6:43: source 'books': path must be text, got a mapping"},
        Row{"ListInAListOfPaths", "path: data/books", "path: [[a]]",
            "demo.yaml:6:44: source 'books': path must be text, got a list"},
        Row{"DuplicateName", "name: code", "name: books",
            "demo.yaml:7:12: duplicate source name 'books': first given at line 6"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfChoices, Problems,
    testing::Values(
        Row{"OverLong", "steps: 10", "steps: 10\nover_long: spilt",
            "demo.yaml:2:12: over_long must be error, drop, truncate or split, got 'spilt': did you mean 'split'?"},
        Row{"OverLongInASource", "weight: 1}", "weight: 1, over_long: ignore}",
            "demo.yaml:6:77: source 'books': over_long must be error, drop, truncate or split, got 'ignore'"},
        Row{"ZeroLength", "steps: 10", "steps: 10\nzero_length: kep",
            "demo.yaml:2:14: zero_length must be keep or drop, got 'kep': did you mean 'keep'?"},
        Row{"Last", "{sequences: 8}", "{sequences: 8, last: deliverd}",
            "demo.yaml:3:29: batch.last must be drop or deliver, got 'deliverd': did you mean 'deliver'?"},
        Row{"Weights", "steps: 10", "steps: 10\nweights: token",
            "demo.yaml:2:10: weights must be sequences or tokens, got 'token': did you mean 'tokens'?"},
        Row{"Io", "steps: 10", "steps: 10\nio: [collective]",
            "demo.yaml:2:5: io must be cooperative or collective, got a list"},
        Row{"Exchange", "steps: 10", "steps: 10\nexchange: by_nodes",
            "demo.yaml:2:11: exchange must be auto, plain or by_node, got 'by_nodes': did you mean 'by_node'?"},
        Row{"Delivery", "steps: 10", "steps: 10\ndelivery: message",
            "demo.yaml:2:11: delivery must be auto or messages, got 'message': did you mean 'messages'?"},
        Row{"Format", "format: megatron", "format: megaton",
            "demo.yaml:6:27: source 'books': format must be megatron or hdf5, got 'megaton': did you mean "
            "'megatron'?"},
        Row{"Order", "weight: 1}", "weight: 1, order: random}",
            "demo.yaml:6:73: source 'books': order must be shuffled or sequential, got 'random'"},
        Row{"Sample", "weight: 1}", "weight: 1, sample: documents}",
            "demo.yaml:6:74: source 'books': sample must be sequence or document, got 'documents': did you mean "
            "'document'?"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    BetweenKeys, Problems,
    testing::Values(
        Row{"CapBelowOneToken", "{tokens: 128}", "{tokens: 0}",
            "demo.yaml:4:23: micro_batch.tokens must be an integer >= 1, got 0"},
        Row{"CapAboveSigned32Bits", "{tokens: 128}", "{tokens: 2147483648}",
            "demo.yaml:4:23: micro_batch.tokens must be an integer <= 2147483647, got 2147483648"},
        Row{"PaddedTokenDoesNotFit", "{tokens: 128}", "{tokens: 128, pad_segments_to: 129}",
            "demo.yaml:4:45: micro_batch.pad_segments_to must not exceed micro_batch.tokens, got 129 for a cap of 128: "
            "a padded segment of one token would not fit"},
        Row{"NoContextParallelRank", "steps: 10", "steps: 10\ncontext_parallel: 0",
            "demo.yaml:2:19: context_parallel must be an integer >= 1, got 0"},
        Row{"SegmentsThatFallIntoNoChunks", "{tokens: 128}", "{tokens: 128, pad_segments_to: 6}\ncontext_parallel: 2",
            "demo.yaml:4:45: micro_batch.pad_segments_to must be a multiple of 2 * context_parallel (4), got 6"},
        Row{"CapBelowOneChunkEach", "{tokens: 128}", "{tokens: 15}\ncontext_parallel: 8",
            "demo.yaml:4:23: micro_batch.tokens must be at least 2 * context_parallel (16), got 15"},
        Row{"CapThatFallsIntoNoChunks", "{tokens: 128}", "{tokens: 126, pad_to_cap: true}\ncontext_parallel: 2",
            "demo.yaml:4:23: micro_batch.tokens must be a multiple of pad_segments_to (4) with pad_to_cap and "
            "context_parallel, got 126: the last segment takes the rest of the row"},
        Row{"MoreReplicasThanSequences", "data_parallel: 2", "data_parallel: 9",
            "demo.yaml:2:16: data_parallel must not exceed batch.sequences, got 9 replicas for 8 sequences"},
        Row{"MoreReplicasThanTokens", "{sequences: 8}", "{tokens: 1}",
            "demo.yaml:2:16: data_parallel must not exceed batch.tokens, got 2 replicas for 1 tokens"},
        Row{"FreeSequences", "steps: 10", "steps: 10\ncost: {linear: 0, quadratic: 0}",
            "demo.yaml:2:7: cost.linear and cost.quadratic must not both be 0: every sequence would be free"},
        Row{"NegativeCost", "steps: 10", "steps: 10\ncost: {linear: -1}",
            "demo.yaml:2:16: cost.linear must be a finite number >= 0, got -1"},
        Row{"HugeCost", "steps: 10", "steps: 10\ncost: {quadratic: 1e16}",
            "demo.yaml:2:19: cost.quadratic must be a number <= 1000000000000000, got 1e16"},
        Row{"NoPrefetch", "steps: 10", "steps: 10\nprefetch: {steps: 0}",
            "demo.yaml:2:19: prefetch.steps must be an integer >= 1, got 0"},
        Row{"NoOpenFiles", "steps: 10", "steps: 10\nlimits: {open_files: 0}",
            "demo.yaml:2:22: limits.open_files must be an integer >= 1, got 0"},
        Row{"NoSharedBytes", "steps: 10", "steps: 10\nlimits: {shared_bytes: 0}",
            "demo.yaml:2:24: limits.shared_bytes must be an integer >= 1, got 0"},
        Row{"NoTime", "steps: 10", "steps: 10\nlimits: {acquire_seconds: 0}",
            "demo.yaml:2:27: limits.acquire_seconds must be a finite number >= 0.001, got 0"},
        Row{"EndlessTime", "steps: 10", "steps: 10\nlimits: {acquire_seconds: .inf}",
            "demo.yaml:2:27: limits.acquire_seconds must be a finite number >= 0.001, got '.inf'"}),
    name_of);

TEST(AllProblems, AreFoundInOnePassInFileOrder) {
  const std::string_view yaml =
      "sedd: 1\n"
      "steps: 0\n"
      "epochs: 2\n"
      "batch: {sequences: many, last: keep}\n"
      "micro_batch: {tokens: 16, pad_segments_to: 32}\n"
      "sources:\n"
      "  - {name: a, format: hdf6, path: x, weight: -1}\n"
      "  - {name: a, format: hdf5, path: y}\n";

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found,
            "demo.yaml:1:1: unknown key 'sedd': did you mean 'seed'?\n"
            "demo.yaml:2:8: steps must be an integer >= 1, got 0\n"
            "demo.yaml:3:1: give either steps or epochs, not both\n"
            "demo.yaml:4:20: batch.sequences must be an integer >= 1, got 'many'\n"
            "demo.yaml:4:32: batch.last must be drop or deliver, got 'keep'\n"
            "demo.yaml:5:44: micro_batch.pad_segments_to must not exceed micro_batch.tokens, got 32 for a cap of 16: "
            "a padded segment of one token would not fit\n"
            "demo.yaml:7:23: source 'a': format must be megatron or hdf5, got 'hdf6': did you mean 'hdf5'?\n"
            "demo.yaml:7:46: source 'a': weight must be a finite number >= 0, got -1\n"
            "demo.yaml:8:5: source 'a': weight is missing: give every source a weight, or none\n"
            "demo.yaml:8:12: duplicate source name 'a': first given at line 7");
}

TEST(AllProblems, OfAnEmptySourcesListIsOne) {
  const std::string_view yaml = "steps: 1\nbatch: {sequences: 1}\nmicro_batch: {tokens: 8}\nsources: []\n";

  const std::string found = problems_of(yaml);

  EXPECT_EQ(found, "demo.yaml:4:10: sources must not be an empty list");
}

TEST(AllProblems, AreThrownAsOneConfigError) {
  try {
    parse_or_throw(small_with("steps: 10", "steps: 0\nsteps: 1"), "demo.yaml");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), STOWAGE_CONFIG_ERROR);
    EXPECT_STREQ(error.what(),
                 "demo.yaml:1:8: steps must be an integer >= 1, got 0\n"
                 "demo.yaml:2:1: duplicate key 'steps': first given at line 1");
  }
}

}  // namespace
}  // namespace stowage::config::test
