#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rank of a model that is parallel in all ways gets exactly its part, and loaders write one copy a replica."""

import json
import unittest

import jobs

CONFIG = """
seed: 5
data_parallel: {replicas}
{context_parallel}
steps: 3
batch: {{sequences: 24}}
micro_batch: {{tokens: 512, pad_segments_to: 4}}
over_long: split
delivery: {delivery}
sources:
  - {{name: a, format: megatron, path: a, weight: 2, vocab_size: 60000}}
  - {{name: b, format: megatron, path: b, weight: 1}}
"""


class PartsTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        jobs.write_megatron(self.folder / "a", [jobs.tokens_of(1, 3 * i % 700, i) for i in range(97)])
        jobs.write_megatron(self.folder / "b", [jobs.tokens_of(2, i % 9, i) for i in range(41)])

    def config(self, name, replicas, context=1, delivery="auto"):
        context_parallel = f"context_parallel: {context}" if context > 1 else ""
        return self.write(f"{name}.yaml", CONFIG.format(replicas=replicas, context_parallel=context_parallel,
                                                        delivery=delivery))

    def run_parts(self, delivery, loaders=2, **sizes):
        """The loaders' summary of a job in which every trainer has compared its part with the plain stream."""
        replicas, context = sizes.get("dp", 1), sizes.get("cp", 1)
        trainers = 1
        for size in sizes.values():
            trainers *= size
        reference = self.config("plain", replicas)
        config = self.config("parts", replicas, context, delivery)
        parallel = ",".join(f"{name}={size}" for name, size in sizes.items())
        self.run_ok(*jobs.job(config, trainers, loaders, ["--parallel", parallel, "--check-against", reference],
                              ["--summary", self.folder / "summary"]))
        return json.loads((self.folder / "summary").read_text())

    def digests(self, config, *launcher):
        return self.run_ok(*launcher, *jobs.stowage("digest", config)).stdout

    def test_sixteen_ranks_get_their_parts_of_one_copy_a_replica(self):
        sizes = {"tp": 2, "cp": 2, "dp": 2, "pp": 2}
        ring = self.run_parts("auto", **sizes)
        messages = self.run_parts("messages", **sizes)

        copied = ring["bytes_if_copied"]
        print(f"tp 2, cp 2, dp 2, pp 2, {ring['steps']} steps of {ring['tokens']} tokens in all: "
              f"{ring['bytes_delivered']} bytes left the loaders as one copy a replica, "
              f"{messages['bytes_delivered']} as a message with its part to each rank, {copied} as a copy a rank")
        self.assertEqual(ring["trainers"], 16)
        self.assertEqual(ring["bytes_sent"], 0)
        self.assertEqual(ring["bytes_delivered"] * 8, copied, "8 ranks of a replica share one copy")
        self.assertEqual(messages["bytes_shared"], 0)
        self.assertEqual(messages["bytes_if_copied"], copied)
        # The parts of a replica make up its rows once for each tensor parallel rank; boundaries go to all.
        self.assertGreater(messages["bytes_sent"], 2 / 8 * copied)
        self.assertLess(messages["bytes_sent"], 2.5 / 8 * copied)

    def test_middle_stages_cost_next_to_nothing(self):
        two = self.run_parts("messages", loaders=1, pp=2)
        four = self.run_parts("messages", loaders=1, pp=4)

        whole = two["bytes_if_copied"] / 2
        self.assertLess(four["bytes_sent"] - two["bytes_sent"], 0.2 * whole, "two stages without rows")
        self.assertEqual(four["bytes_if_copied"], 4 * whole)

    def test_three_context_parallel_ranks_by_a_multiple_of_their_own(self):
        config = self.write("parts.yaml", CONFIG.format(replicas=1, context_parallel="context_parallel: 3", delivery="auto")
                            .replace("pad_segments_to: 4", "pad_segments_to: 12"))
        reference = self.write("plain.yaml", CONFIG.format(replicas=1, context_parallel="", delivery="auto")
                               .replace("pad_segments_to: 4", "pad_segments_to: 12"))

        self.run_ok(*jobs.job(config, 3, 1, ["--parallel", "cp=3", "--check-against", reference]))

    def test_digests_of_whole_steps_do_not_depend_on_context_parallelism(self):
        plain = self.config("plain", 2)
        parts = self.config("parts", 2, context=2)

        expected = self.digests(plain)
        self.assertEqual(len(expected.splitlines()), 3 * 2)
        self.assertEqual(self.digests(parts), expected)
        self.assertEqual(self.digests(parts, "mpirun", "--oversubscribe", "-n", 3), expected)

    def test_a_rank_that_gets_another_part_is_found_out(self):
        reference = self.config("plain", 1)
        another = self.write("another.yaml", reference.read_text().replace("seed: 5", "seed: 6"))
        done = jobs.run(*jobs.stowage("trainer", "--embedded", self.config("parts", 1, context=2), "--context-parallel", "1/2",
                                      "--check-against", another))

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("reference", done.stderr)

    def test_trainers_that_do_not_fit_the_configuration_are_told_on_every_rank(self):
        for sizes, trainers, why in [
                ("pp=2", 2, "trainer 0: context_parallel_size must be 2, as the configuration says (context_parallel), got 1"),
                ("cp=4", 4, "trainer 0: context_parallel_size must be 2"),
                ("cp=2,pp=2", 3, "no trainer gets the labels and loss mask of replica 0, context parallel rank 1"),
                ("cp=2", 3, "trainer 2: pipeline_parallel_rank must be in [0, 1), got 1")]:
            with self.subTest(sizes):
                done = jobs.run(*jobs.job(self.config("parts", 1, context=2), trainers, 1, ["--parallel", sizes]), timeout=60)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count(why), 1, done.stderr)

    def test_a_malformed_place_is_refused_at_once(self):
        for words in (["--parallel", "tp=2,xp=2"], ["--parallel", "tp=0"], ["--tensor-parallel", "1"],
                      ["--pipeline-parallel", "a/2"]):
            with self.subTest(words):
                done = jobs.run(*jobs.stowage("trainer", *words), timeout=20)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("expected a form like", done.stderr)


if __name__ == "__main__":
    unittest.main()
