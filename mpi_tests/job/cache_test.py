#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies of data files on the node change where a run reads, and nothing else, whatever happens to them."""

import json
import os
import shutil
import subprocess
import time
import unittest

import jobs

CONFIG = """
seed: 3
data_parallel: 2
epochs: 2
batch: {{sequences: 16}}
micro_batch: {{tokens: 1024}}
{cache}
sources:
  - {{name: a, format: megatron, path: a, weight: 1}}
  - {{name: b, format: hdf5, path: b.h5, weight: 1}}
"""
LOADERS = 2
SEQUENCES = 400  # of each source
STEPS = 2 * 2 * SEQUENCES // 16


class CacheTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        jobs.write_megatron(self.folder / "a", [jobs.tokens_of(1, 100 + i % 300, i) for i in range(SEQUENCES)])
        texts = self.write("b.jsonl", "".join('{"text": "%s"}\n' % (f"{i} " * (30 + i % 50)) for i in range(SEQUENCES)))
        self.run_ok(*jobs.stowage("import", texts, "-o", self.folder / "b.h5"))
        self.cache = self.folder / "cache"
        self.plain, count = self.digests("plain", "")
        self.assertEqual(len(self.plain.splitlines()), 2 * STEPS)
        self.assertEqual(count["bytes_cached"], 0)

    def command(self, name, cache):
        # Some milliseconds a step, so that copies are complete long before the run ends.
        pace = ["--linear", "1", "--quadratic", "0", "--seconds-per-cost", 0.02 / 2000]
        config = self.write(f"{name}.yaml", CONFIG.format(cache=cache))
        return jobs.job(config, 2, LOADERS, [*pace, "--record-digests", self.folder / name],
                        ["--summary", self.folder / f"{name}.json"])

    def results(self, name):
        return (self.folder / name).read_text(), json.loads((self.folder / f"{name}.json").read_text())

    def digests(self, name, cache):
        self.run_ok(*self.command(name, cache))
        return self.results(name)

    def copies(self):
        return list(self.cache.glob("*.shard"))

    def test_the_second_epoch_is_read_from_copies_and_the_next_run_all(self):
        digests, count = self.digests("first", "cache: {directory: cache, bytes: 10000000}")
        again, count_again = self.digests("again", "cache: {directory: cache, bytes: 10000000}")

        self.assertEqual(digests, self.plain)
        self.assertGreaterEqual(count["bytes_cached"], count["bytes_read"] // 2)
        self.assertLess(count["bytes_cached"], count["bytes_read"])
        self.assertEqual(len(self.copies()), 2, "each file once, however many ranks read it")
        self.assertEqual(again, self.plain)
        self.assertEqual(count_again["bytes_cached"], count_again["bytes_read"])

    def test_all_ranks_together_keep_the_bound(self):
        sizes = [(self.folder / name).stat().st_size for name in ("a.bin", "b.h5")]

        digests, count = self.digests("bounded", f"cache: {{directory: cache, bytes: {sum(sizes) - 1}}}")

        self.assertEqual(digests, self.plain)
        self.assertEqual(len(self.copies()), 1)
        self.assertGreater(count["bytes_cached"], 0)

    def test_copies_may_be_deleted_in_the_middle_of_a_run(self):
        command = self.command("deleted", "cache: {directory: cache, bytes: 10000000}")
        process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, **jobs.MPI_ENVIRONMENT, OMP_NUM_THREADS="1"))
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while len(self.copies()) < 2:
            self.assertLess(time.monotonic(), deadline, "no copies were made")
            time.sleep(0.005)
        time.sleep(0.3)  # both are in use

        shutil.rmtree(self.cache)

        _, said = process.communicate(timeout=jobs.TIMEOUT)
        self.assertEqual(process.returncode, 0, said)
        digests, count = self.results("deleted")
        self.assertEqual(digests, self.plain)
        self.assertGreater(count["bytes_cached"], 0)
        self.assertLess(count["bytes_cached"], count["bytes_read"] * 9 // 10, "the run was not in its middle")
        self.assertIn(said.count("is gone from"), range(1, LOADERS + 1), said)

    def test_a_folder_that_cannot_be_used_is_said_and_the_run_goes_on(self):
        self.write("file", "no folder")

        done = self.run_ok(*self.command("unusable", "cache: {directory: file/cache, bytes: 10000000}"))

        digests, count = self.results("unusable")
        self.assertEqual(digests, self.plain)
        self.assertEqual(count["bytes_cached"], 0)
        self.assertEqual(done.stderr.count("is not used: cannot make the folder"), LOADERS, done.stderr)


if __name__ == "__main__":
    unittest.main()
