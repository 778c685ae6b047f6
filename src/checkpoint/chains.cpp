// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/chains.hpp"

#include <algorithm>
#include <utility>

#include "checkpoint/content.hpp"
#include "source/input_file.hpp"

namespace stowage::checkpoint {
namespace {

Bytes read_file(const std::string& path) {
  const source::InputFile file(path);
  Bytes bytes(file.size());
  file.read(0, bytes);
  return bytes;
}

}  // namespace

Chains::Chains(const std::string& folder) : folder_(folder), generations_(generations_in(folder)) {}

std::optional<std::uint64_t> Chains::parent_of(const Generation& generation) const {
  const auto found = parents_.find(generation.path);
  return found == parents_.end() ? std::nullopt : std::optional(found->second);
}

const Checkpoint& Chains::load(const Generation& generation) {
  std::vector<Link> links;  // newest first, down to a base or to what is present
  const Generation* at = &generation;
  try {
    while (!present_ || present_->path != at->path) {
      throw_if_broken(*at);
      links.push_back({at, read(*at)});
      if (links.back().decoded.kind() == Kind::base) break;
      at = &find_parent(*at, links.back().decoded.header.parent_generation);
    }
    while (!links.empty()) {
      at = links.back().generation;
      follow(std::move(links.back()));
      links.pop_back();
    }
  } catch (const Error& error) {
    remember(*at, links, error);
    throw_if_broken(generation);
  }
  return present_->checkpoint;
}

Decoded Chains::read(const Generation& generation) {
  Decoded decoded = decode(read_file(generation.path), generation.path);
  if (decoded.kind() == Kind::difference) parents_[generation.path] = decoded.header.parent_generation;
  if (decoded.kind() != generation.kind || decoded.header.generation != generation.number ||
      decoded.step() != generation.step) {
    fail(STOWAGE_DATA_ERROR, "{}: expected what its name says, found the {} of generation {}, step {}; was it renamed?",
         generation.path, name_of(decoded.kind()), decoded.header.generation, decoded.step());
  }
  return decoded;
}

const Generation& Chains::find_parent(const Generation& generation, std::uint64_t parent) const {
  const auto found = std::find_if(generations_.begin(), generations_.end(),
                                  [&](const Generation& other) { return other.number == parent; });
  if (found == generations_.end() || parent >= generation.number) {
    fail(STOWAGE_DATA_ERROR, "{}: expected generation {}, which it builds on, in {}, found none", generation.path,
         parent, folder_);
  }
  return *found;
}

void Chains::follow(Link link) {
  const std::string& path = link.generation->path;
  const Header& header = link.decoded.header;
  // Nothing is present while it is being changed, so that a failure leaves no half-changed checkpoint.
  std::optional<Present> next = std::exchange(present_, std::nullopt);
  if (auto* base = std::get_if<Checkpoint>(&link.decoded.body)) {
    const Digest fingerprint = digest_of(base->fingerprint);
    next = Present{path, {}, fingerprint, std::move(*base)};
  } else {
    if (next->content != header.parent_content) {
      fail(STOWAGE_DATA_ERROR, "{}: generation {}, which it builds on: expected content {}, found {}", path,
           header.parent_generation, header.parent_content.hex(), next->content.hex());
    }
    apply(std::get<Difference>(link.decoded.body), next->checkpoint, path);
    next->path = path;
  }
  next->content = content_digest(next->fingerprint, next->checkpoint.state, next->checkpoint.inputs);
  if (next->content != header.content) {
    fail(STOWAGE_DATA_ERROR, "{}: expected content {}, found {}", path, header.content.hex(), next->content.hex());
  }
  present_ = std::move(next);
}

void Chains::remember(const Generation& culprit, const std::vector<Link>& dependent, const Error& error) {
  Broken broken{error.status(), error.what(), true};
  const auto [known, added] = broken_.try_emplace(culprit.path, broken);
  broken = {known->second.status, known->second.reason, false};
  for (const Link& link : dependent) broken_.try_emplace(link.generation->path, broken);
}

void Chains::throw_if_broken(const Generation& generation) const {
  const auto found = broken_.find(generation.path);
  if (found == broken_.end()) return;
  const Broken& broken = found->second;
  if (broken.itself) throw Error(broken.status, broken.reason);
  fail(broken.status, "{} needs a generation that is not valid: {}", generation.path, broken.reason);
}

}  // namespace stowage::checkpoint
