#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exact conservation: over whole epochs every sequence arrives exactly once an epoch, or is dropped by a stated policy
and counted."""

import json
import pathlib
import sys
import unittest

import jobs

CHECKER = pathlib.Path(__file__).parents[2] / "tests/checkers/conservation.py"
EPOCHS = 3

# Fewer sequences than ranks, none at all in some, longer than a micro-batch in others; sizes that divide by nothing.
LENGTHS = {
    "one": [5],
    "two": [0, 9],
    "mixed": [i % 37 for i in range(101)],
    "long": [1, 64, 65, 200, 128, 129, 0],
    "document": [3, 0, 4, 7, 2],
}

CONFIG = """
seed: 5
data_parallel: {replicas}
epochs: {epochs}
batch: {{{batch}}}
micro_batch: {{tokens: 64}}
over_long: {over_long}
zero_length: {zero_length}
sources:
  - {{name: one, format: megatron, path: one, weight: 1}}
  - {{name: two, format: hdf5, path: two.h5, weight: 1}}
  - {{name: mixed, format: megatron, path: mixed, weight: 7}}
  - {{name: long, format: hdf5, path: long.h5, weight: 1}}
  - {{name: document, format: megatron, path: document, weight: 1}}
"""


class ConservationTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        for number, (name, lengths) in enumerate(LENGTHS.items()):
            jobs.write_megatron(self.folder / name, [jobs.tokens_of(number, length) for length in lengths])
            if name in ("two", "long"):
                text = "".join(json.dumps({"text": "x" * length}) + "\n" for length in lengths)
                self.run_ok(*jobs.stowage("import", self.write(f"{name}.jsonl", text), "-o", self.folder / f"{name}.h5"))
        self.write("lengths", "".join(f"{source} {sequence} {length}\n"
                                      for source, lengths in enumerate(LENGTHS.values())
                                      for sequence, length in enumerate(lengths)))

    def config(self, replicas, batch="sequences: 16", over_long="split", zero_length="keep", epochs=EPOCHS):
        return self.write("run.yaml", CONFIG.format(replicas=replicas, batch=batch, over_long=over_long,
                                                    zero_length=zero_length, epochs=epochs))

    def deliver(self, config, replicas, loaders):
        """The loaders' summary of a run whose trainers record every segment."""
        self.run_ok(*jobs.job(config, replicas, loaders, ["--record", self.folder / "record"],
                              ["--summary", self.folder / "summary"]))
        return json.loads((self.folder / "summary").read_text())

    def check_record(self):
        counts = self.write("counts", "".join(f"{s} {len(lengths)}\n" for s, lengths in enumerate(LENGTHS.values())))
        self.run_ok(sys.executable, CHECKER, self.folder / "record", counts, "--epochs", EPOCHS,
                    "--lengths", self.folder / "lengths")

    def test_every_sequence_arrives_once_an_epoch(self):
        sequences = sum(map(len, LENGTHS.values()))
        for loaders in (1, 2, 3, 5, 8):
            for replicas in (1, 3, 4):
                with self.subTest(loaders=loaders, replicas=replicas):
                    summary = self.deliver(self.config(replicas), replicas, loaders)

                    self.check_record()
                    self.assertEqual(summary["sequences"], EPOCHS * sequences)
                    self.assertEqual(summary["steps"], -(-EPOCHS * sequences // 16))  # the last one incomplete
                    self.assertEqual(summary["committed_steps"], summary["steps"])
                    self.assertEqual([source["delivered"] for source in summary["sources"]],
                                     [EPOCHS * len(lengths) for lengths in LENGTHS.values()])

    def test_batches_measured_in_tokens_conserve_too(self):
        for loaders, replicas in [(1, 3), (3, 4)]:
            with self.subTest(loaders=loaders, replicas=replicas):
                self.deliver(self.config(replicas, batch="tokens: 300"), replicas, loaders)

                self.check_record()

    def test_an_incomplete_last_batch_is_dropped_where_asked_and_counted(self):
        sequences = sum(map(len, LENGTHS.values()))
        steps, rest = divmod(EPOCHS * sequences, 16)
        self.assertGreater(rest, 0)

        summary = self.deliver(self.config(3, batch="sequences: 16, last: drop"), 3, 2)

        self.assertEqual(summary["steps"], steps)
        self.assertEqual(summary["sequences"], 16 * steps)
        self.assertEqual(sum(source["dropped_last_batch"] for source in summary["sources"]), rest)
        self.assertEqual(sum(source["drawn"] for source in summary["sources"]), EPOCHS * sequences)

    def test_a_last_batch_smaller_than_the_replicas_gives_well_formed_empty_micro_batches(self):
        sequences = sum(map(len, LENGTHS.values()))
        batch = next(b for b in range(5, 40) if 1 <= EPOCHS * sequences % b < 4)

        summary = self.deliver(self.config(4, batch=f"sequences: {batch}"), 4, 2)

        self.check_record()
        last = [line.split()[1] for line in (self.folder / "record").read_text().splitlines()[1:]
                if line.split()[0] == str(summary["steps"] - 1)]
        self.assertLess(len(set(last)), 4)

    def test_policies_drop_and_cut_what_they_say_by_source(self):
        over_long = sum(length > 64 for length in LENGTHS["long"])
        for policy in ("drop", "truncate", "split"):
            with self.subTest(policy=policy):
                config = self.config(2, over_long=policy, zero_length="drop")

                summary = self.deliver(config, 2, 2)

                long = next(source for source in summary["sources"] if source["name"] == "long")
                self.assertEqual(long["dropped_over_long"], EPOCHS * over_long if policy == "drop" else 0)
                self.assertEqual(long["truncated"], EPOCHS * over_long if policy == "truncate" else 0)
                self.assertEqual(long["split"], EPOCHS * over_long if policy == "split" else 0)
                self.assertEqual(long["dropped_zero_length"], EPOCHS)
                self.assertEqual(long["drawn"], EPOCHS * len(LENGTHS["long"]))
                for source in summary["sources"]:
                    dropped = source["dropped_over_long"] + source["dropped_zero_length"]
                    self.assertEqual(source["drawn"], source["delivered"] + dropped)


if __name__ == "__main__":
    unittest.main()
