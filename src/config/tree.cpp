// SPDX-License-Identifier: Apache-2.0
#include "config/tree.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "config/encoding.hpp"

namespace stowage::config {
namespace {

Mark to_mark(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Report& report) : report_(report) {}

  const std::shared_ptr<Node>& root() const { return root_; }
  Mark start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = to_mark(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Node::Kind::null, mark, "?", anchor); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    const bool is_open = found == anchors_.end() || std::find(open_.begin(), open_.end(), found->second) != open_.end();
    if (is_open) {
      report_.add(to_mark(mark), "an alias must not stand inside the node that it repeats");
      add(Node::Kind::null, mark, "?", YAML::NullAnchor);
    } else {
      attach(found->second);
    }
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const auto node = add(Node::Kind::scalar, mark, tag, anchor);
    node->quoted = tag == "!";
    node->text = value;
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back(add(Node::Kind::list, mark, tag, anchor));
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back(add(Node::Kind::map, mark, tag, anchor));
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  std::shared_ptr<Node> add(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const auto node = std::make_shared<Node>();
    node->kind = kind;
    node->mark = to_mark(mark);
    // The parser tags plain nodes "?" and quoted scalars "!"; anything else was written by the user.
    if (tag != "?" && tag != "!" && !tag.empty()) {
      report_.add(node->mark, "YAML tags are not supported, got '{}': remove it", tag);
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(node);
    return node;
  }

  void attach(const std::shared_ptr<Node>& node) {
    if (open_.empty()) {
      root_ = node;
    } else {
      open_.back()->items.push_back(node);
    }
  }

  Report& report_;
  Mark start_;
  std::shared_ptr<Node> root_;
  std::vector<std::shared_ptr<Node>> open_;  // the lists and maps around the present position
  std::map<YAML::anchor_t, std::shared_ptr<Node>> anchors_;
};

}  // namespace

std::shared_ptr<const Node> read_tree(std::string_view text, Report& report) {
  // yaml-cpp takes 0x04 for the end of the file and guesses other encodings from NUL bytes.
  if (const auto bad = find_bad_byte(text)) {
    report.complete = false;
    report.add(bad->mark, "{}", bad->message);
    return nullptr;
  }
  TreeBuilder first(report);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(first);
    TreeBuilder second(report);
    if (parser.HandleNextDocument(second)) {
      report.add(second.start(), "a configuration is one YAML document, found a second one: remove it");
    }
  } catch (const YAML::DeepRecursion& error) {
    report.complete = false;
    report.add(to_mark(error.mark), "YAML syntax: nested too deeply");
  } catch (const YAML::Exception& error) {
    report.complete = false;
    report.add(to_mark(error.mark), "YAML syntax: {}", error.msg);
  }
  return first.root();
}

}  // namespace stowage::config
