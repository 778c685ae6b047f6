// SPDX-License-Identifier: Apache-2.0
// What checkpoints cost: bytes of base and difference files, time to encode, time to publish, by how much of the
// sources a checkpoint interval touches, against writing the whole state every time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/plan/lengths.hpp"
#include "checkpoint/load.hpp"
#include "checkpoint/store.hpp"

namespace {

using namespace stowage;
using Json = nlohmann::ordered_json;

struct Options {
  std::string folder = "bench-checkpoints";
  std::size_t sources = 2000;
  std::uint64_t sequences = 10'000'000;
  int repetitions = 15;
};

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A run in the middle of its second epoch: what is stored is as wide as in a long run.
checkpoint::Checkpoint make_run(const Options& options) {
  std::mt19937_64 random(1);
  checkpoint::Checkpoint run;
  for (const char* key : {"seed", "data_parallel", "global_batch.sequences", "micro_batch.tokens", "epochs"}) {
    run.fingerprint.settings.push_back({key, std::to_string(random() % 100'000)});
  }
  const std::uint64_t each = options.sequences / options.sources;
  for (std::size_t s = 0; s < options.sources; ++s) {
    checkpoint::Fingerprint::Source source;
    source.name = fmt::format("source-{:04}", s);
    source.sequences = each;
    source.tokens = each * (200 + random() % 2000);
    source.index = {random(), random()};
    source.files.push_back({fmt::format("/lustre/project/corpus/{}/{}.bin", source.name, random() % 100),
                            2 * source.tokens,
                            1'700'000'000'000'000'000 + static_cast<std::int64_t>(random() % 1'000'000'000'000)});
    run.fingerprint.settings.push_back({"sources." + source.name + ".weight", std::to_string(1 + random() % 100)});
    run.fingerprint.settings.push_back({"sources." + source.name + ".order", "shuffled"});
    const std::uint64_t drawn = each + random() % each;
    run.state.draws.drawn.push_back(drawn);
    run.state.draws.stage_base.push_back(0);
    checkpoint::SourceCount count;
    count.drawn = count.delivered = drawn;
    count.tokens = drawn * 1100;
    run.state.counts.push_back(count);
    run.state.draws.position += drawn;
    run.fingerprint.sources.push_back(source);
  }
  return run;
}

// `draws` draws later, from sources at random; 64 sequences wait.
void advance(checkpoint::Checkpoint& run, std::uint64_t draws, std::mt19937_64& random) {
  checkpoint::IteratorState& state = run.state;
  state.step += 1;
  state.plans = {random(), random()};
  for (std::uint64_t d = 0; d < draws; ++d) {
    const std::size_t source = random() % state.counts.size();
    ++state.draws.position;
    ++state.draws.drawn[source];
    ++state.counts[source].drawn;
    ++state.counts[source].delivered;
    state.counts[source].tokens += 1 + random() % 4000;
  }
  state.deferred.resize(64);
  for (checkpoint::Deferred& one : state.deferred) {
    one.draw = {state.draws.position - random() % 1000, random() % 5000, 1,
                static_cast<std::uint32_t>(random() % state.counts.size())};
    one.waited = static_cast<std::uint32_t>(random() % 4);
  }
}

Json measure(const Options& options, std::uint64_t draws, bool incremental) {
  std::filesystem::remove_all(options.folder);
  const std::uint64_t never = 1'000'000;
  checkpoint::Store store(options.folder, {incremental ? never : 1, 2});
  checkpoint::Checkpoint run = make_run(options);
  std::mt19937_64 random(2);
  store.write(run);
  std::vector<double> encode;
  std::vector<double> publish;
  std::uint64_t bytes = 0;
  for (int i = 0; i < options.repetitions; ++i) {
    advance(run, draws, random);
    auto begin = std::chrono::steady_clock::now();
    checkpoint::Encoded encoded = store.encode(run);
    encode.push_back(milliseconds_since(begin));
    bytes += encoded.bytes.size();
    begin = std::chrono::steady_clock::now();
    store.publish(std::move(encoded));
    publish.push_back(milliseconds_since(begin));
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto loaded = checkpoint::load(options.folder);
  const double load = milliseconds_since(begin);
  if (!loaded || loaded->checkpoint != run) fail(STOWAGE_INTERNAL_ERROR, "the checkpoint did not come back");
  return {{"draws", draws},
          {"way", incremental ? "difference" : "whole state"},
          {"bytes", bytes / static_cast<std::uint64_t>(options.repetitions)},
          {"encode_ms", median(encode)},
          {"publish_ms", median(publish)},
          {"load_ms", load},
          {"files_loaded", incremental ? options.repetitions + 1 : 1}};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"What checkpoints cost"};
  app.add_option("--folder", options.folder, "for the checkpoints; removed at the end")->capture_default_str();
  app.add_option("--sources", options.sources, "of the run")->capture_default_str();
  app.add_option("--sequences", options.sequences, "of all sources together")->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "checkpoints of each kind; times are medians")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return stowage::bench::guarded([&] {
    Json report = {{"bench", "checkpoint files"},
                   {"sources", options.sources},
                   {"sequences", options.sequences},
                   {"results", Json::array()}};
    for (const std::uint64_t draws : {16U, 64U, 256U, 1024U, 4096U, 16384U, 65536U}) {
      for (const bool incremental : {true, false}) report["results"].push_back(measure(options, draws, incremental));
    }
    std::filesystem::remove_all(options.folder);
    std::cout << report.dump(2) << "\n";
  });
}
