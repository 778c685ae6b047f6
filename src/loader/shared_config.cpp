// SPDX-License-Identifier: Apache-2.0
#include "loader/shared_config.hpp"

#include "config/parse.hpp"

namespace stowage::loader {

config::Config share_config(const std::string& path, exchange::Team& team) {
  const bool reads = team.rank() == 0;
  std::string text;
  exchange::together(team, [&] {
    if (reads) text = config::read_text(path);
  });
  const exchange::Gathered texts = team.all_gather(reads ? bytes_of(text) : ByteView{});
  const exchange::Gathered paths = team.all_gather(reads ? bytes_of(path) : ByteView{});
  config::Config config;
  exchange::together(team,
                     [&] { config = config::parse_or_throw(text_of(texts.of(0)), std::string(text_of(paths.of(0)))); });
  return config;
}

}  // namespace stowage::loader
