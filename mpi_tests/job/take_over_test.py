#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loaders are killed before the first step is delivered: while the job goes forward from an older checkpoint to the step
that its trainers begin with."""

import os
import unittest
from unittest import mock

import jobs

SAVED, FIRST, STEPS = 6, 90, 120

CONFIG = """
seed: 4
data_parallel: 2
steps: {steps}
batch: {{sequences: 6}}
micro_batch: {{tokens: 64}}
defer: {{steps: 2}}
checkpoint: {{directory: saved}}
shadows: {shadows}
sources:
  - {{name: a, format: megatron, path: a, weight: 1}}
  - {{name: b, format: megatron, path: b, weight: 2}}
"""


class TakeOverTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        for number, name in enumerate("ab"):
            jobs.write_megatron(self.folder / name, [jobs.tokens_of(number, 20 + i % 37) for i in range(60)])

    def check_deaths(self, loaders, shadows, *deaths):
        """Ranks die at these passages of the point where a step is planned; the trainers receive what they would have."""
        config = self.write("run.yaml", CONFIG.format(steps=STEPS, shadows=shadows))
        whole = self.run_ok(*jobs.stowage("digest", config)).stdout.splitlines()
        self.run_ok(*jobs.stowage("digest", config, "--steps", SAVED, "--save-checkpoint", self.folder / "saved"))
        received = self.folder / "received"
        died = self.folder / "died"
        command = jobs.job(config, 2, loaders + shadows, ["--resume-step", FIRST, "--record-digests", received])
        command.insert(1, "--enable-recovery")
        fault = {"STOWAGE_FAULT": ",".join(f"{rank}:planning:{passage}:KILL" for rank, passage in deaths),
                 "STOWAGE_FAULT_FILE": str(died)}

        with mock.patch.dict(os.environ, fault, STOWAGE_SURVIVAL="1"):
            done = jobs.run(*command)

        self.assertEqual(len(died.read_text().splitlines()), len(deaths), done.stderr)
        self.assertEqual(received.read_text().splitlines(), whole[2 * FIRST:], done.stderr)

    def test_the_first_loader_dies_and_a_shadow_takes_its_place(self):
        self.check_deaths(2, 1, (2, 30))

    def test_another_loader_dies_at_the_last_step_that_is_passed(self):
        self.check_deaths(3, 1, (4, FIRST - SAVED))

    def test_two_loaders_die_and_the_third_and_the_shadow_share_the_work(self):
        self.check_deaths(3, 1, (3, 1), (2, 40))


if __name__ == "__main__":
    unittest.main()
