#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thousands of sources start fast and need few open files."""

import json
import time
import unittest

import jobs

SOURCES = 2500
OPEN_FILES = 128


class ManySourcesTest(jobs.JobTest):
    def test_thousands_of_sources_start_in_seconds_with_few_files_open(self):
        for k in range(4):
            jobs.write_megatron(self.folder / f"real-{k}", [jobs.tokens_of(k, 5 + i % 90) for i in range(200 + k)])
        entries = []
        for s in range(SOURCES):
            for suffix in (".bin", ".idx"):
                (self.folder / f"source-{s}{suffix}").symlink_to(self.folder / f"real-{s % 4}{suffix}")
            entries.append(f"  - {{name: s{s}, format: megatron, path: source-{s}, weight: {1 + s % 7}}}")
        config = self.write("many.yaml", """
data_parallel: 2
steps: 20
batch: {sequences: 256}
micro_batch: {tokens: 2048}
limits: {open_files: 40}
sources:
""" + "\n".join(entries))
        summary = self.folder / "trainers.json"
        command = " ".join(map(str, jobs.job(config, 2, 2, ["--summary", summary])))

        began = time.monotonic()
        self.run_ok("bash", "-c", f"ulimit -n {OPEN_FILES}; exec {command}")
        seconds = time.monotonic() - began

        first = json.loads(summary.read_text())["wait_first_s"]
        print(f"{SOURCES} sources: whole job {seconds:.2f} s, trainers' wait for the first step {first:.2f} s")
        self.assertLess(seconds, 5.0 * self.slowness())

    def slowness(self):
        """Sanitizers and unoptimised builds are slower than what the limit is about."""
        return 1.0 if "release" in jobs.STOWAGE else 6.0


if __name__ == "__main__":
    unittest.main()
