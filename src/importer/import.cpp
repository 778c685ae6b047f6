// SPDX-License-Identifier: Apache-2.0
#include "importer/import.hpp"

#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "source/writer.hpp"
#include "transform/tokenizer.hpp"

namespace stowage::importer {

namespace {

std::unique_ptr<source::ShardWriter> make_writer(const ImportOptions& options, const std::vector<Input>& inputs,
                                                 const transform::Tokenizer& tokenizer) {
  source::WriterOptions writer;
  writer.vocab_size = tokenizer.vocab_size();
  writer.type = options.type ? *options.type : source::default_token_type(writer.vocab_size);
  writer.tokenizer = tokenizer.name();
  writer.force = options.force;
  for (const Input& input : inputs) writer.provenance.push_back(input.path);
  return options.format == config::Format::megatron ? source::make_megatron_writer(options.output, writer)
                                                    : source::make_hdf5_writer(options.output, writer);
}

void write(const Encoded& encoded, source::ShardWriter& writer, ImportSummary& summary) {
  std::uint64_t begin = 0;
  for (const std::uint64_t end : encoded.ends) {
    writer.add(std::span(encoded.tokens).subspan(begin, end - begin));
    writer.end_document();
    begin = end;
  }
  summary.documents += encoded.ends.size();
  summary.tokens += encoded.tokens.size();
  summary.empty += encoded.empty;
  summary.bad += encoded.bad;
  summary.input_bytes += encoded.input_bytes;
}

}  // namespace

ImportSummary run_import(const ImportOptions& options, const std::function<void(const ImportSummary&)>& report) {
  if (options.threads == 0) fail(STOWAGE_INVALID_ARGUMENT, "threads must be >= 1, got 0");
  const std::vector<Input> inputs = find_inputs(options.inputs, options.globs, options.kind);
  ImportSummary summary;
  summary.files = inputs.size();
  for (const Input& input : inputs) summary.input_bytes_in_all += input.bytes;

  const std::unique_ptr<transform::Tokenizer> tokenizer = transform::make_byte_tokenizer();
  const std::unique_ptr<source::ShardWriter> writer = make_writer(options, inputs, *tokenizer);
  BatchReader reader(inputs);
  // Batches being encoded, in input order, one thread each: what is written, and which error is thrown, is then the
  // same for any number of them. A future waits in its destructor, so nothing outlives an error.
  std::deque<std::future<Encoded>> running;
  const auto start_next = [&] {
    try {
      std::optional<Batch> batch = reader.next();
      if (!batch) return false;
      running.push_back(std::async(std::launch::async,
                                   [&, work = std::move(*batch)] { return encode(work, *tokenizer, options.encode); }));
      return true;
    } catch (...) {
      std::promise<Encoded> failed;
      failed.set_exception(std::current_exception());
      running.push_back(failed.get_future());
      return false;
    }
  };
  for (bool more = true; more || !running.empty();) {
    while (more && running.size() < options.threads) more = start_next();
    if (running.empty()) break;
    const Encoded encoded = running.front().get();
    running.pop_front();
    write(encoded, *writer, summary);
    report(summary);
  }
  if (summary.documents == 0) {
    fail(STOWAGE_DATA_ERROR,
         "no document to import: {} files of {} bytes have {} documents without text and {} bad lines", summary.files,
         summary.input_bytes, summary.empty, summary.bad);
  }
  writer->close();
  return summary;
}

}  // namespace stowage::importer
