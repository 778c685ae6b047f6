// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast_report.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "config/choices.hpp"
#include "loader/policy.hpp"

namespace stowage::cli {
namespace {

constexpr std::size_t kNameWidth = 40;

class Report {
 public:
  Report(const config::Config& config, const loader::Catalogue& catalogue, const Forecast& forecast)
      : config_(config), catalogue_(catalogue), forecast_(forecast), total_(forecast.total()) {
    for (const config::Source& source : config.sources) name_width_ = std::max(name_width_, source.name.size());
    name_width_ = std::min(name_width_, kNameWidth);
  }

  std::string text() {
    table();
    line("");
    for (std::size_t s = 0; s < config_.sources.size(); ++s) policies(s);
    run();
    micro_batches();
    last_batch();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  // A number that may be an estimate.
  std::string about(std::uint64_t value) const { return (forecast_.is_exact ? "" : "~") + with_thousands(value); }

  bool is_disabled(std::size_t s) const { return loader::disabled(config_, config_.sources[s]); }

  void table() {
    line("{:<{}} {:>8} {:>12} {:>15} {:>22} {:>8} {:>13} {:>9} {:>10}", "source", name_width_, "format", "sequences",
         "tokens", "length min/mean/max", "asked", "draws", "epochs", "of tokens");
    for (std::size_t s = 0; s < config_.sources.size(); ++s) row(s);
    std::uint64_t sequences = 0;
    std::uint64_t tokens = 0;
    for (const loader::SourceInfo& info : catalogue_.sources()) {
      sequences += info.sequences;
      tokens += info.tokens;
    }
    line("{:<{}} {:>8} {:>12} {:>15} {:>22} {:>8} {:>13}", "all", name_width_, "", with_thousands(sequences),
         with_thousands(tokens), "", "", forecast_.sources.empty() ? "-" : about(total_.drawn));
  }

  void row(std::size_t s) {
    const config::Source& source = config_.sources[s];
    const loader::SourceInfo& info = catalogue_.sources()[s];
    const std::string_view format = config::word_of(source.format);
    if (is_disabled(s)) {
      line("{:<{}} {:>8} disabled by weight 0", source.name, name_width_, format);
      return;
    }
    std::string draws = "-";
    std::string epochs = "-";
    std::string share_of_tokens = "-";
    if (!forecast_.sources.empty()) {
      const checkpoint::SourceCount& count = forecast_.sources[s];
      draws = about(count.drawn);
      epochs = fmt::format("{:.2f}", static_cast<double>(count.drawn) / static_cast<double>(info.sequences));
      const double all = static_cast<double>(std::max<std::uint64_t>(total_.tokens, 1));
      share_of_tokens = fmt::format("{:.2f} %", 100.0 * static_cast<double>(count.tokens) / all);
    }
    line("{:<{}} {:>8} {:>12} {:>15} {:>22} {:>8} {:>13} {:>9} {:>10}", source.name, name_width_, format,
         with_thousands(info.sequences), with_thousands(info.tokens),
         fmt::format("{}/{:.1f}/{}", info.shortest, info.mean_tokens(), info.longest),
         fmt::format("{:.2f} %", 100.0 * forecast_.shares[s]), draws, epochs, share_of_tokens);
  }

  void policies(std::size_t s) {
    if (is_disabled(s)) return;
    const config::Source& source = config_.sources[s];
    const loader::SourceInfo& info = catalogue_.sources()[s];
    if (info.over_long > 0) {
      line("{}: {} of {} sequences are over-long (more than {} tokens): {}", source.name,
           with_thousands(info.over_long), with_thousands(info.sequences),
           with_thousands(loader::longest_segment(config_.micro_batch)), fate_of_over_long(s));
    }
    if (info.zero_length > 0) {
      const bool is_kept = source.zero_length == config::ZeroLength::keep;
      line("{}: {} of {} sequences have no tokens: {}", source.name, with_thousands(info.zero_length),
           with_thousands(info.sequences), is_kept ? "kept, as segments of length 0" : "dropped");
    }
  }

  std::string fate_of_over_long(std::size_t s) const {
    const config::OverLong policy = config_.sources[s].over_long;
    const bool is_known = !forecast_.sources.empty();
    const checkpoint::SourceCount count = is_known ? forecast_.sources[s] : checkpoint::SourceCount{};
    std::string what;
    std::uint64_t draws = 0;
    if (policy == config::OverLong::drop) {
      what = "dropped";
      draws = count.dropped[static_cast<std::size_t>(checkpoint::Reason::over_long)];
    } else if (policy == config::OverLong::split) {
      what = "split into pieces of one step";
      draws = count.split;
    } else {
      what = fmt::format("truncated, {} tokens cut off", is_known ? about(count.tokens_cut) : "-");
      draws = count.truncated;
    }
    return is_known ? fmt::format("{} ({} draws)", what, about(draws)) : what;
  }

  void run() {
    const config::Batch& batch = config_.batch;
    const std::string size = batch.sequences != 0 ? with_thousands(batch.sequences) + " sequences"
                                                  : "up to " + with_thousands(batch.tokens) + " tokens";
    const std::string steps = forecast_.steps ? about_steps() : "an unknown number of";
    line("run: {} steps of {} for {} replicas", steps, size, config_.data_parallel);
    if (forecast_.sources.empty()) {
      line("delivered: not worked out, one step is too long for that");
    } else {
      line("delivered: {} sequences, {} tokens", about(total_.delivered), about(total_.tokens));
    }
  }

  std::string about_steps() const {
    const bool is_exact = forecast_.is_exact || config_.steps || config_.batch.sequences != 0;
    return (is_exact ? "" : "~") + with_thousands(*forecast_.steps);
  }

  void micro_batches() {
    const config::MicroBatch& micro_batch = config_.micro_batch;
    line("micro-batch: {} {} tokens, segments padded to multiples of {}{}",
         micro_batch.pad_to_cap ? "exactly" : "at most", with_thousands(micro_batch.tokens),
         micro_batch.pad_segments_to, micro_batch.equal_counts ? ", the same number on every replica" : "");
  }

  void last_batch() {
    if (config_.steps) {
      line("last batch: complete, sources start over as needed");
      return;
    }
    if (!forecast_.last) {
      line("last batch: not worked out, the run is too long for that; {} if incomplete",
           config_.batch.last == config::LastBatch::deliver ? "delivered" : "dropped");
      return;
    }
    const LastBatch& last = *forecast_.last;
    if (last.is_dropped) {
      line("last batch: incomplete, {} sequences are dropped (batch.last: drop)", with_thousands(last.sequences));
      return;
    }
    const std::uint64_t whole = config_.batch.sequences != 0 ? config_.batch.sequences : config_.batch.tokens;
    const std::uint64_t found = config_.batch.sequences != 0 ? last.sequences : last.tokens;
    if (found == whole) {
      line("last batch: complete");
      return;
    }
    line("last batch: {} of {} {}, delivered{}", with_thousands(found), with_thousands(whole),
         config_.batch.sequences != 0 ? "sequences" : "tokens",
         last.sequences < config_.data_parallel
             ? fmt::format("; at least {} replicas get padding alone", config_.data_parallel - last.sequences)
             : "");
  }

  const config::Config& config_;
  const loader::Catalogue& catalogue_;
  const Forecast& forecast_;
  checkpoint::SourceCount total_;
  std::size_t name_width_ = 6;
  std::string text_;
};

}  // namespace

std::string report(const config::Config& config, const loader::Catalogue& catalogue, const Forecast& forecast) {
  return Report(config, catalogue, forecast).text();
}

}  // namespace stowage::cli
