// SPDX-License-Identifier: Apache-2.0
#include "cli/summary.hpp"

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace stowage::cli {

nlohmann::ordered_json to_json(const loader::ServeSummary& summary) {
  std::uint64_t drawn_sequences = 0;
  std::uint64_t tokens = 0;
  for (const loader::ServedSource& source : summary.sources) {
    drawn_sequences += source.count.drawn;
    tokens += source.count.tokens;
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  nlohmann::ordered_json sources = nlohmann::ordered_json::array();
  for (const loader::ServedSource& source : summary.sources) {
    const checkpoint::SourceCount& count = source.count;
    sources.push_back(
        {{"name", source.name},
         {"sequences_in_epoch", source.sequences},
         {"share_asked", source.share_asked},
         {"share_drawn", share(count.drawn, drawn_sequences)},
         {"share_of_tokens", share(count.tokens, tokens)},
         {"drawn", count.drawn},
         {"delivered", count.delivered},
         {"tokens", count.tokens},
         {"truncated", count.truncated},
         {"tokens_cut", count.tokens_cut},
         {"split", count.split},
         {"dropped_over_long", count.dropped[static_cast<std::size_t>(checkpoint::Reason::over_long)]},
         {"dropped_zero_length", count.dropped[static_cast<std::size_t>(checkpoint::Reason::zero_length)]},
         {"dropped_last_batch", count.dropped[static_cast<std::size_t>(checkpoint::Reason::last_batch)]}});
  }
  return {{"steps", summary.plan.steps},
          {"committed_steps", summary.committed.step},
          {"sequences", summary.plan.sequences},
          {"tokens", summary.plan.tokens},
          {"micro_batches", summary.plan.micro_batches},
          {"seconds", summary.seconds},
          {"max_over_mean_drawn", summary.plan.mean_drawn()},
          {"max_over_mean_planned", summary.plan.mean_planned()},
          {"padding_share", summary.plan.padding_share()},
          {"bytes_read", summary.ranks.bytes_read},
          {"bytes_cached", summary.ranks.bytes_cached},
          {"reads", summary.ranks.reads},
          {"bytes_exchanged", summary.ranks.bytes_exchanged},
          {"bytes_delivered", summary.ranks.bytes_delivered},
          {"bytes_shared", summary.ranks.bytes_shared},
          {"bytes_sent", summary.ranks.bytes_sent},
          {"bytes_if_copied", summary.ranks.bytes_if_copied},
          {"loaders", summary.loaders},
          {"loaders_lost", summary.lost},
          {"trainers", summary.trainers},
          {"sources", sources}};
}

void write_json(const std::string& path, const nlohmann::ordered_json& value) {
  const std::string temporary = path + ".tmp";
  {
    std::ofstream file(temporary);
    file << value.dump(2) << '\n';
    if (!file.flush()) fail(STOWAGE_IO_ERROR, "{}: cannot write", temporary);
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail(STOWAGE_IO_ERROR, "{}: cannot rename {} to it: {}", path, temporary, error.message());
}

nlohmann::ordered_json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(STOWAGE_IO_ERROR, "{}: cannot open", path);
  try {
    return nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    fail(STOWAGE_DATA_ERROR, "{}: expected JSON: {}", path, error.what());
  }
}

}  // namespace stowage::cli
