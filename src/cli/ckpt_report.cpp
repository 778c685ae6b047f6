// SPDX-License-Identifier: Apache-2.0
#include "cli/ckpt_report.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/text.hpp"

namespace stowage::cli {
namespace {

using checkpoint::Checkpoint;
using checkpoint::Deferred;
using checkpoint::Fingerprint;
using checkpoint::Generation;
using checkpoint::Input;
using checkpoint::Reason;
using checkpoint::SourceCount;
using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

std::uint64_t dropped(const SourceCount& count, Reason reason) {
  return count.dropped.at(static_cast<std::size_t>(reason));
}

std::uint64_t dropped(const SourceCount& count) {
  std::uint64_t sum = 0;
  for (const std::uint64_t one : count.dropped) sum += one;
  return sum;
}

Json to_json(const Generation& generation) {
  return {{"generation", generation.number},
          {"step", generation.step},
          {"kind", checkpoint::name_of(generation.kind)},
          {"file", generation.path}};
}

Json source_json(const Checkpoint& checkpoint, std::size_t s) {
  const Fingerprint::Source& source = checkpoint.fingerprint.sources[s];
  const SourceCount& count = checkpoint.state.counts[s];
  Json files = Json::array();
  for (const Fingerprint::File& file : source.files) {
    files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"modified_ns", file.modified_ns}});
  }
  return {{"name", source.name},
          {"sequences", source.sequences},
          {"tokens", source.tokens},
          {"index", source.index.hex()},
          {"drawn", checkpoint.state.draws.drawn[s]},
          {"stage_base", checkpoint.state.draws.stage_base[s]},
          {"delivered", count.delivered},
          {"delivered_tokens", count.tokens},
          {"truncated", count.truncated},
          {"tokens_cut", count.tokens_cut},
          {"split", count.split},
          {"dropped_over_long", dropped(count, Reason::over_long)},
          {"dropped_zero_length", dropped(count, Reason::zero_length)},
          {"dropped_last_batch", dropped(count, Reason::last_batch)},
          {"files", files}};
}

void add_sources(Out out, const Checkpoint& checkpoint) {
  fmt::format_to(out, "\n{:<24} {:>14} {:>14} {:>14} {:>18} {:>8} {:>8}\n", "source", "sequences", "drawn", "delivered",
                 "tokens", "split", "dropped");
  for (std::size_t s = 0; s < checkpoint.fingerprint.sources.size(); ++s) {
    const SourceCount& count = checkpoint.state.counts[s];
    fmt::format_to(out, "{:<24} {:>14} {:>14} {:>14} {:>18} {:>8} {:>8}\n", checkpoint.fingerprint.sources[s].name,
                   with_thousands(checkpoint.fingerprint.sources[s].sequences),
                   with_thousands(checkpoint.state.draws.drawn[s]), with_thousands(count.delivered),
                   with_thousands(count.tokens), with_thousands(count.split), with_thousands(dropped(count)));
  }
}

}  // namespace

std::string to_text(const std::vector<CheckpointEntry>& entries) {
  std::string text = fmt::format("{:>10} {:>12} {:<10} {:>12} {:>10}  {}\n", "generation", "step", "kind", "bytes",
                                 "builds on", "state");
  std::string problems;
  for (const CheckpointEntry& entry : entries) {
    fmt::format_to(Out(text), "{:>10} {:>12} {:<10} {:>12} {:>10}  {}\n", entry.generation.number,
                   entry.generation.step, checkpoint::name_of(entry.generation.kind), with_thousands(entry.bytes),
                   entry.parent ? std::to_string(*entry.parent) : "-", entry.problem.empty() ? "valid" : "NOT VALID");
    if (!entry.problem.empty()) fmt::format_to(Out(problems), "\n{}: {}\n", entry.generation.number, entry.problem);
  }
  return text + problems;
}

Json to_json(const std::vector<CheckpointEntry>& entries) {
  Json all = Json::array();
  for (const CheckpointEntry& entry : entries) {
    Json one = to_json(entry.generation);
    one["bytes"] = entry.bytes;
    one["parent"] = entry.parent ? Json(*entry.parent) : Json();
    one["valid"] = entry.problem.empty();
    if (!entry.problem.empty()) one["problem"] = entry.problem;
    all.push_back(one);
  }
  return all;
}

std::string to_text(const checkpoint::Loaded& loaded) {
  const Checkpoint& checkpoint = loaded.checkpoint;
  std::string text;
  const Out out(text);
  fmt::format_to(out, "file        {}\n", loaded.generation.path);
  fmt::format_to(out, "generation  {}, a {}\n", loaded.generation.number, checkpoint::name_of(loaded.generation.kind));
  fmt::format_to(out, "step        {}: the next to deliver\n", with_thousands(checkpoint.state.step));
  fmt::format_to(out, "draws       {}\n", with_thousands(checkpoint.state.draws.position));
  fmt::format_to(out, "plans       {}\n", checkpoint.state.plans.hex());
  fmt::format_to(out, "\nsettings\n");
  for (const Fingerprint::Setting& setting : checkpoint.fingerprint.settings) {
    fmt::format_to(out, "  {}: {}\n", setting.key, setting.value);
  }
  add_sources(out, checkpoint);
  fmt::format_to(out, "\nwaiting     {} sequences\n", checkpoint.state.deferred.size());
  for (const Deferred& one : checkpoint.state.deferred) {
    fmt::format_to(out, "  draw {}: source {}, epoch {}, sequence {}, for {} steps\n", one.draw.position,
                   one.draw.source, one.draw.epoch, one.draw.sequence, one.waited);
  }
  fmt::format_to(out, "inputs      {}\n", checkpoint.inputs.size());
  for (const Input& input : checkpoint.inputs)
    fmt::format_to(out, "  step {}: {}: {}\n", input.step, input.kind, input.text);
  return text;
}

Json to_json(const checkpoint::Loaded& loaded) {
  const Checkpoint& checkpoint = loaded.checkpoint;
  Json result = to_json(loaded.generation);
  result["draws"] = checkpoint.state.draws.position;
  result["plans"] = checkpoint.state.plans.hex();
  result["settings"] = Json::array();
  for (const Fingerprint::Setting& setting : checkpoint.fingerprint.settings) {
    result["settings"].push_back({{"key", setting.key}, {"value", setting.value}});
  }
  result["sources"] = Json::array();
  for (std::size_t s = 0; s < checkpoint.fingerprint.sources.size(); ++s) {
    result["sources"].push_back(source_json(checkpoint, s));
  }
  result["deferred"] = Json::array();
  for (const Deferred& one : checkpoint.state.deferred) {
    result["deferred"].push_back({{"draw", one.draw.position},
                                  {"source", one.draw.source},
                                  {"epoch", one.draw.epoch},
                                  {"sequence", one.draw.sequence},
                                  {"waited", one.waited}});
  }
  result["inputs"] = Json::array();
  for (const Input& input : checkpoint.inputs) {
    result["inputs"].push_back({{"step", input.step}, {"kind", input.kind}, {"text", input.text}});
  }
  return result;
}

}  // namespace stowage::cli
