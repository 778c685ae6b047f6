#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that is told to end is saved, says so by its exit status, and goes on later as if nothing had happened."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

import jobs

PREEMPTED = 75
STEPS = 400

CONFIG = """
seed: 3
data_parallel: 2
steps: {steps}
batch: {{sequences: 8}}
micro_batch: {{tokens: 64}}
cost: {{linear: 1, quadratic: 0}}
checkpoint: {{directory: saved, every_steps: {every}}}
delivery: {delivery}
shadows: {shadows}
sources:
  - {{name: a, format: megatron, path: a, weight: 1}}
  - {{name: b, format: megatron, path: b, weight: 2}}
"""


def ranks_of(launcher, command):
    """Processes below the launcher that run `stowage COMMAND`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if parent == launcher and len(words) > 1 and words[1] == command.encode():
            found.append(int(entry.name))
    return found


class PreemptionTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        for number, name in enumerate("ab"):
            jobs.write_megatron(self.folder / name, [jobs.tokens_of(number, 20 + i % 37) for i in range(60)])
        self.saved = self.folder / "saved"

    def config(self, steps=STEPS, every=0, delivery="auto", shadows=0):
        return self.write("run.yaml", CONFIG.format(steps=steps, every=every, delivery=delivery, shadows=shadows))

    def start(self, config, loaders, seconds_per_step, record, *launcher_words):
        words = ["--linear", "1", "--quadratic", "0", "--seconds-per-cost", seconds_per_step / 150, "--record-digests", record]
        command = [str(word) for word in jobs.job(config, 2, loaders, words)]
        command[1:1] = launcher_words
        environment = dict(os.environ, **jobs.MPI_ENVIRONMENT, OMP_NUM_THREADS="1")
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := what():
                return found
            time.sleep(0.02)
        self.fail(f"waited {seconds} s in vain")

    def check_pieces(self, config, first):
        """What came before and what comes when the job is started again is the undisturbed stream."""
        lines = first.read_text().splitlines()
        step = len(lines) // 2
        second = self.folder / "second"
        self.run_ok(*jobs.job(config, 2, 3, ["--resume-step", step, "--record-digests", second]))
        whole = self.run_ok(*jobs.stowage("digest", config)).stdout.splitlines()
        self.assertEqual(lines + second.read_text().splitlines(), whole)
        return step

    def check_ended(self, process):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, PREEMPTED, out + err)
        self.assertEqual(err.count("the run ends because"), 1, err)

    def checkpoints(self):
        return list(self.saved.glob("ckpt-*"))

    def test_a_signal_to_any_loader_ends_the_run_saved_and_it_goes_on_exactly(self):
        for number, name in [(0, signal.SIGTERM), (1, signal.SIGUSR1)]:
            with self.subTest(loader=number, signal=name):
                config = self.config(every=5)
                process = self.start(config, 2, 0.02, self.folder / "first")
                self.wait_for(self.checkpoints)  # the run is under way
                loaders = sorted(self.wait_for(lambda: ranks_of(process.pid, "serve")))

                os.kill(loaders[number], name)

                self.check_ended(process)
                self.assertGreaterEqual(self.check_pieces(config, self.folder / "first"), 5)
                for file in self.checkpoints():
                    file.unlink()

    def test_a_second_signal_is_harmless(self):
        config = self.config(every=5)
        process = self.start(config, 2, 0.02, self.folder / "first")
        self.wait_for(self.checkpoints)
        everyone = ranks_of(process.pid, "serve") + ranks_of(process.pid, "trainer")
        self.assertEqual(len(everyone), 4)

        for _ in range(2):
            for rank in everyone:
                try:
                    os.kill(rank, signal.SIGTERM)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)

        self.check_ended(process)
        self.check_pieces(config, self.folder / "first")

    def test_a_trainer_that_computes_is_saved_before_it_calls_again(self):
        config = self.config(steps=6)
        process = self.start(config, 2, 5.0, self.folder / "first")
        trainers = sorted(self.wait_for(lambda: ranks_of(process.pid, "trainer")))
        time.sleep(4.0)  # it has started and computes its first step for seconds
        self.assertEqual(self.checkpoints(), [])

        os.kill(trainers[1], signal.SIGUSR1)

        self.wait_for(self.checkpoints, seconds=3)
        self.assertIsNone(process.poll())
        self.check_ended(process)
        self.check_pieces(config, self.folder / "first")

    def test_a_trainer_without_shared_memory_is_heard_at_its_next_call(self):
        config = self.config(delivery="messages", every=5)
        process = self.start(config, 1, 0.02, self.folder / "first")
        self.wait_for(self.checkpoints)

        os.kill(ranks_of(process.pid, "trainer")[0], signal.SIGTERM)

        self.check_ended(process)
        self.check_pieces(config, self.folder / "first")

    def test_the_successor_of_a_lost_loader_writes_the_checkpoints(self):
        config = self.config(every=5, shadows=1)
        process = self.start(config, 3, 0.02, self.folder / "first", "--enable-recovery")
        self.wait_for(self.checkpoints)
        writer = min(ranks_of(process.pid, "serve"))

        os.kill(writer, signal.SIGKILL)

        before = set(self.checkpoints())
        self.wait_for(lambda: len(set(self.checkpoints()) - before) >= 2)
        os.kill(min(ranks_of(process.pid, "serve")), signal.SIGTERM)
        process.communicate(timeout=60)  # its status is that of the lost rank, or 0
        self.check_pieces(self.config(every=5), self.folder / "first")

    def test_trainers_name_the_step_that_is_saved(self):
        config = self.config(steps=23)
        first = self.folder / "first"
        self.run_ok(*jobs.job(config, 2, 3, ["--save-every", 7, "--record-digests", first]))

        steps = {int(path.name.split("-")[3].split(".")[0]) for path in self.checkpoints()}
        self.assertGreaterEqual(steps, {21, 23})
        whole = first.read_text().splitlines()
        for step in (7, 16, 23):
            second = self.folder / "second"
            self.run_ok(*jobs.job(config, 2, 2, ["--record-digests", second], ["--resume", step]))
            self.assertEqual(second.read_text().splitlines(), whole[2 * step:])

    def test_trainers_that_name_different_steps_are_refused(self):
        config = self.config(steps=9)
        command = ["mpirun", "--oversubscribe", "-n", 1, jobs.STOWAGE, "trainer", ":",
                   "-n", 1, jobs.STOWAGE, "trainer", "--resume-step", 3, ":", "-n", 1, jobs.STOWAGE, "serve", config, "--quiet"]

        done = jobs.run(*command)

        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("expected the same resume_step in the options of all trainers, found -1 and 3", done.stderr)


if __name__ == "__main__":
    unittest.main()
