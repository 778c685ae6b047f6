#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No rank hangs, no rank returns alone: an error of one rank ends every rank of the job, soon, with the same status and
one readable message."""

import time
import unittest

import jobs

CONFIG_ERROR, DATA_ERROR, IO_ERROR, MPI_ERROR, TIMEOUT, PEER_LOST = 3, 4, 5, 6, 7, 8
LIMIT = 10  # seconds

CONFIG = """
data_parallel: {replicas}
steps: 200
batch: {{sequences: 8}}
micro_batch: {{tokens: 64}}
over_long: split
io: {io}
vocab_size: 65000
sources:
  - {{name: good, format: megatron, path: good, weight: 1}}
  - {{name: other, format: {format}, path: {path}, weight: 1}}
"""


class ErrorsTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        jobs.write_megatron(self.folder / "good", [jobs.tokens_of(1, i % 60) for i in range(300)])
        jobs.write_megatron(self.folder / "other", [jobs.tokens_of(2, 1 + i % 60) for i in range(300)])

    def config(self, format="megatron", path="other", replicas=3, io="cooperative"):
        return self.write("run.yaml", CONFIG.format(format=format, path=path, replicas=replicas, io=io))

    def wrapped(self, words):
        """The command of one rank, which leaves its exit status in a file."""
        script = f'"$@"; echo $? >{self.folder}/status.$OMPI_COMM_WORLD_RANK'
        return ["bash", "-c", script, "bash", jobs.STOWAGE, *words]

    def fails(self, config, status, *message, trainers=3, loaders=2):
        """Runs the job and demands the same status of all ranks, the message once, and all of it soon."""
        began = time.monotonic()
        done = jobs.run("mpirun", "--oversubscribe", "-n", trainers, *self.wrapped(["trainer"]), ":", "-n", loaders,
                        *self.wrapped(["serve", config, "--quiet"]), timeout=60)
        seconds = time.monotonic() - began

        self.assertEqual(self.statuses(trainers + loaders), [str(status)] * (trainers + loaders), done.stderr)
        for text in message:
            self.assertEqual(done.stderr.count(text), 1, f"{text!r} in\n{done.stderr}")
        self.assertEqual(done.stderr.count("stowage "), 1, done.stderr)
        self.assertLess(seconds, LIMIT)
        return done

    def test_a_missing_configuration_ends_the_job(self):
        self.fails(self.folder / "absent.yaml", IO_ERROR, "absent.yaml")

    def test_every_problem_of_a_configuration_is_told_once(self):
        config = self.write("run.yaml", "data_parallel: 0\nsteps: x\nbatch: {sequences: 8}\nmicro_batch: {tokens: 64}\n"
                                        "sources: [{name: a, format: megatron, path: good}]\nsede: 4\n")

        self.fails(config, CONFIG_ERROR, "run.yaml:1:16", "run.yaml:2:8", "run.yaml:6:1")

    def test_a_truncated_source_ends_the_job_before_it_starts(self):
        with open(self.folder / "other.bin", "r+b") as file:
            file.truncate(100)

        self.fails(self.config(), DATA_ERROR, "other.bin")

    def test_problems_of_sources_on_different_ranks_are_told_together(self):
        config = self.config()
        (self.folder / "good.bin").unlink()
        (self.folder / "other.idx").unlink()

        self.fails(config, IO_ERROR, "source 'good'", "source 'other'")

    def flipped_shard(self):
        text = "".join('{"text": "%s"}\n' % ("word %d " % i * 30) for i in range(300))
        self.write("other.jsonl", text)
        self.run_ok(*jobs.stowage("import", self.folder / "other.jsonl", "-o", self.folder / "other.h5",
                                   "--force"))
        raw = bytearray((self.folder / "other.h5").read_bytes())
        at = raw.find("word 299 ".encode("utf-16-le")) + 8
        self.assertGreater(at, 8)
        raw[at] ^= 1
        (self.folder / "other.h5").write_bytes(raw)

    def test_a_flipped_byte_found_while_reading_ends_the_job(self):
        for io in ("cooperative", "collective"):
            self.flipped_shard()

            self.fails(self.config(format="hdf5", path="other.h5", io=io), DATA_ERROR, "other.h5", "checksum")

    def test_a_token_past_the_vocabulary_ends_the_job(self):
        sequences = [jobs.tokens_of(2, 1 + i % 60) for i in range(300)]
        sequences[200][0] = 65001
        jobs.write_megatron(self.folder / "other", sequences)

        self.fails(self.config(), DATA_ERROR, "65001")

    def endless(self, extra=""):
        """A configuration of a run that only an error ends."""
        config = self.config()
        config.write_text(config.read_text().replace("steps: 200", "steps: 100000000") + extra)
        return config

    def serve_and(self, config, *, once_running):
        """The command of a loader rank that runs a shell command, with $loader its process, once a step was made."""
        script = f"""
            "$@" 2> >(tee {self.folder}/progress >&2) & loader=$!
            until grep -qs 'step 1 of' {self.folder}/progress; do sleep 0.05; done
            {once_running}
            wait $loader; echo $? >{self.folder}/status.$OMPI_COMM_WORLD_RANK"""
        return ["bash", "-c", script, "bash", jobs.STOWAGE, "serve", config]

    def statuses(self, ranks, absent=None):
        """What each rank ended with; `absent` stands for a rank that did not say, which is an error without it."""
        files = [self.folder / f"status.{rank}" for rank in range(ranks)]
        return [absent if absent is not None and not file.exists() else file.read_text().strip() for file in files]

    def test_a_file_that_shrinks_during_the_run_ends_the_job(self):
        shrink = f"truncate -s 10 {self.folder}/good.bin {self.folder}/other.bin"
        loader = self.serve_and(self.endless(), once_running=shrink)

        done = jobs.run("mpirun", "--oversubscribe", "-n", 3, *self.wrapped(["trainer"]), ":", "-n", 1, *loader)

        self.assertEqual(self.statuses(4), [str(DATA_ERROR)] * 4, done.stderr)
        self.assertEqual(done.stderr.count("the file ends too early"), 1, done.stderr)

    def test_too_few_trainers_end_the_job(self):
        self.fails(self.config(replicas=4), MPI_ERROR, "expected as many trainers as replicas")

    def test_more_replicas_than_sequences_end_the_job(self):
        self.fails(self.config(replicas=9), CONFIG_ERROR, "replicas")

    def test_a_job_without_loaders_ends(self):
        done = jobs.run("mpirun", "--oversubscribe", "-n", 2, *self.wrapped(["trainer"]))

        self.assertEqual(self.statuses(2), [str(MPI_ERROR)] * 2)
        self.assertEqual(done.stderr.count("none is a loader"), 1, done.stderr)

    def test_trainers_may_leave_early(self):
        done = self.run_ok(*jobs.job(self.config(), 3, 2, ["--max-steps", 5]))

        self.assertIn("5 steps of 3 replicas", done.stdout)

    def test_a_trainer_waits_no_longer_than_it_said(self):
        config = self.endless("limits: {acquire_seconds: 1}\n")
        loader = self.serve_and(config, once_running="kill -STOP $loader; sleep 4; kill -CONT $loader")

        done = jobs.run("mpirun", "--oversubscribe", "-n", 3, *self.wrapped(["trainer"]), ":", "-n", 1, *loader)

        self.assertEqual(self.statuses(3), [str(TIMEOUT)] * 3, done.stderr)
        self.assertIn("did not come from loader rank 3", done.stderr)

    # Long enough for all others to end. They wait some seconds for each other, then leave without MPI_Finalize, when
    # mpirun ends whoever is still there: not every rank comes to tell its status.
    STOP = "kill -STOP {0}; sleep 40; kill -KILL {0}"

    def test_a_loader_without_a_sign_of_life_ends_the_job(self):
        config = self.endless("limits: {peer_seconds: 2}\n")
        stopped = self.serve_and(config, once_running=self.STOP.format("$loader"))

        done = jobs.run("mpirun", "--oversubscribe", "-n", 3, *self.wrapped(["trainer"]), ":", "-n", 1, *stopped, ":",
                        "-n", 1, *self.wrapped(["serve", config, "--quiet"]))

        self.assertEqual(set(self.statuses(5, absent="")) - {""}, {str(PEER_LOST)}, done.stderr)
        self.assertEqual(done.stderr.count("loader rank 3 (of the job's ranks) gave no sign of life for 2 s"), 1,
                         done.stderr)

    def test_a_trainer_that_takes_no_step_ends_the_job(self):
        config = self.endless("limits: {trainer_seconds: 2}\n")
        stop = self.STOP.format("$trainer")
        stopped = ["bash", "-c", f"""
            "$@" & trainer=$!
            until grep -qs 'step 1 of' {self.folder}/progress; do sleep 0.05; done
            {stop}""", "bash", jobs.STOWAGE, "trainer"]
        loader = self.serve_and(config, once_running="true")

        done = jobs.run("mpirun", "--oversubscribe", "-n", 1, *stopped, ":", "-n", 2,
                        *self.wrapped(["trainer", "--sync-seconds", 4]), ":", "-n", 1, *loader)

        self.assertEqual(set(self.statuses(4, absent="")) - {""}, {str(PEER_LOST)}, done.stderr)
        self.assertEqual(done.stderr.count("gave back no step for 2 s after"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
