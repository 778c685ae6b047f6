#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps through shared memory and by message are the same steps; and no shared memory is left, however a job ends."""

import glob
import json
import os
import signal
import subprocess
import time
import unittest

import jobs

CONFIG = """
seed: 3
data_parallel: 2
steps: {steps}
batch: {{sequences: 12}}
micro_batch: {{tokens: 128}}
over_long: split
delivery: {delivery}
limits: {{shared_bytes: {shared}}}
sources:
  - {{name: a, format: megatron, path: a, weight: 1}}
"""
TRAINERS = 4  # two of each replica


def names():
    """What of ours /dev/shm holds."""
    return set(glob.glob("/dev/shm/*stowage*"))


def mapping_ranks(word):
    """The processes with `word` in their command lines that map shared memory of ours."""
    ranks = set()
    for process in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{process}/cmdline", encoding="utf-8", errors="replace") as line:
                ours = word in line.read()
            with open(f"{process}/maps", encoding="utf-8") as lines:
                if ours and any("memfd:stowage" in line for line in lines):
                    ranks.add(int(process.removeprefix("/proc/")))
        except OSError:
            pass  # that process has ended
    return ranks


class DeliveryTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        jobs.write_megatron(self.folder / "a", [jobs.tokens_of(1, i % 70, i) for i in range(211)])

    def config(self, delivery="auto", shared=1 << 20, steps=15):
        return self.write(f"{delivery}-{shared}.yaml", CONFIG.format(delivery=delivery, shared=shared, steps=steps))

    def command(self, config, *words, loaders=2):
        """Several trainers a replica beside loaders."""
        command = ["mpirun", "--oversubscribe"]
        for rank in range(TRAINERS):
            command += ["-n", 1, jobs.STOWAGE, "trainer", "--replica", rank % 2, *words, ":"]
        return [*command, "-n", loaders, jobs.STOWAGE, "serve", config, "--quiet", "--summary", self.folder / "summary"]

    def test_every_way_delivers_the_same_and_counts_its_bytes(self):
        digests, counts = {}, {}  # "both": some steps are larger than the memory, others are not
        for name, options in {"ring": {}, "messages": {"delivery": "messages"}, "both": {"shared": 6800},
                              "too small": {"shared": 64}}.items():
            record = self.folder / f"record-{name}"
            self.run_ok(*self.command(self.config(**options), "--record-digests", record))
            digests[name] = record.read_text()
            counts[name] = json.loads((self.folder / "summary").read_text())

        self.assertEqual(len(digests["ring"].splitlines()), 15 * 2)
        for name, count in counts.items():
            self.assertEqual(digests[name], digests["ring"], name)
            self.assertEqual(count["bytes_delivered"], count["bytes_shared"] + count["bytes_sent"], name)
        one_copy = counts["ring"]["bytes_shared"]
        self.assertEqual(counts["ring"]["bytes_sent"], 0)
        self.assertEqual((counts["messages"]["bytes_shared"], counts["messages"]["bytes_sent"]), (0, 2 * one_copy))
        self.assertEqual((counts["too small"]["bytes_shared"], counts["too small"]["bytes_sent"]), (0, 2 * one_copy))
        both = counts["both"]
        self.assertTrue(both["bytes_shared"] > 0 and both["bytes_sent"] > 0, both)
        self.assertEqual(both["bytes_shared"] + both["bytes_sent"] // 2, one_copy)

    def test_nothing_is_left_after_a_job_killed_at_once_and_the_next_one_runs(self):
        before = names()
        word = str(self.folder)
        command = self.command(self.config(steps=100000000), "--record-digests", self.folder / "record")
        process = subprocess.Popen([str(word) for word in command], start_new_session=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=dict(os.environ, **jobs.MPI_ENVIRONMENT))
        self.addCleanup(process.wait)
        deadline = time.monotonic() + 60
        while len(mapping_ranks(word)) < TRAINERS + 2:
            self.assertLess(time.monotonic(), deadline, "the ranks did not map shared memory")
            time.sleep(0.05)
        self.assertEqual(names(), before, "it has no name while the job runs either")

        for rank in [process.pid, *mapping_ranks(word)]:
            os.kill(rank, signal.SIGKILL)

        deadline = time.monotonic() + 10
        while mapping_ranks(word) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(mapping_ranks(word), set())
        self.assertEqual(names(), before)
        self.run_ok(*self.command(self.config()))
        self.assertEqual(names(), before)


if __name__ == "__main__":
    unittest.main()
