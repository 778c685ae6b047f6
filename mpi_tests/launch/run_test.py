#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stowage-run with a real mpirun and real deaths: it returns what became of the job, ends what does not end, passes
signals on once, changes nothing that programs see, and leaves nothing behind."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

RUN = os.environ["STOWAGE_RUN"]
SOON = 60  # seconds: far less than the sleeps below, far more than a busy machine needs

# Writes down every signal that it gets until it is told to stop.
LISTENER = """
import os, pathlib, signal, sys, time
folder, rank = pathlib.Path(sys.argv[1]), os.environ["OMPI_COMM_WORLD_RANK"]
heard = open(folder / f"heard.{rank}", "a", buffering=1)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
    signal.signal(number, lambda got, frame: print(signal.Signals(got).name, file=heard))
(folder / f"ready.{rank}").touch()
while not (folder / "stop").exists():
    time.sleep(0.02)
"""

# What a program can see of how it was started.
SHOW = """
import os, sys
kept = {name: value for name, value in os.environ.items()
        if not name.startswith(("OMPI_", "PMIX_", "ORTE_", "HFI_")) and name not in ("STOWAGE_SURVIVAL", "LC_CTYPE", "_")}
status = [line.strip() for line in open("/proc/self/status") if line.startswith(("SigBlk", "SigIgn", "SigCgt", "Umask"))]
print(sys.argv[1:], sorted(kept.items()), status, os.getcwd(), sorted(os.listdir("/proc/self/fd"))[:3],
      os.getpgid(0) != os.getpgid(1), sys.stdin.read())
"""


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-run-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.results = self.folder / "results"
        self.results.mkdir()
        # Named like a loader, so that it counts as one.
        loader = self.folder / "stowage"
        loader.write_text('#!/bin/sh\nshift\nexec sh -c "$1"\n')
        loader.chmod(0o755)
        self.addCleanup(self.nothing_is_left)

    def processes(self):
        """Those that work for this test: they carry its folder in their words."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.folder).encode() in entry.read_bytes():
                    found.append(int(entry.parent.name))
            except OSError:
                pass
        return found

    def nothing_is_left(self):
        deadline = time.monotonic() + 15
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        left = self.processes()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [])

    def start(self, *words, options=(), **kept):
        return subprocess.Popen([RUN, "--results", self.results, *options, "--oversubscribe", *map(str, words)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kept)

    def finish(self, job):
        out, err = job.communicate(timeout=120)
        self.assertEqual(list(self.results.iterdir()), [], err)
        return job.returncode, out, err

    def run_job(self, *words, options=("--grace", "5"), stdin=""):
        began = time.monotonic()
        job = self.start(*words, options=options, stdin=subprocess.PIPE)
        job.stdin.write(stdin)
        job.stdin.close()
        job.stdin = None
        status, out, err = self.finish(job)
        self.assertLess(time.monotonic() - began, SOON, err)
        return status, out, err

    def shell(self, script):
        """A program that counts as a trainer; its words carry the test's folder."""
        return ["sh", "-c", f": {self.folder}; {script}"]

    def loader(self, script):
        return [self.folder / "stowage", "serve", f": {self.folder}; {script}"]

    def wait_for(self, *names):
        deadline = time.monotonic() + 30
        while not all((self.folder / name).exists() for name in names):
            self.assertLess(time.monotonic(), deadline, f"{names} did not appear")
            time.sleep(0.02)

    def test_a_job_in_which_all_end_well_ends_well(self):
        self.assertEqual(self.run_job("-n", 2, *self.shell("exit 0"), ":", "-n", 1, *self.loader("exit 0"))[0], 0)

    def test_the_status_of_a_failed_trainer_is_returned_and_ends_the_others_at_once(self):
        status, _, err = self.run_job("-n", 1, *self.shell("exit 7"), ":", "-n", 2, *self.shell("sleep 300"))

        self.assertEqual(status, 7)
        self.assertIn("rank 0 (a trainer) ended with status 7", err)

    def test_the_others_may_end_when_one_ends_to_be_started_again(self):
        status, _, err = self.run_job("-n", 1, *self.shell("exit 75"), ":", "-n", 1, *self.shell("sleep 2; exit 75"), ":",
                                      "-n", 1, *self.loader(f"sleep 3; touch {self.folder}/saved; exit 75"))

        self.assertEqual(status, 75, err)
        self.assertTrue((self.folder / "saved").exists())
        self.assertNotIn("rank", err)

    def test_they_get_no_longer_than_the_grace_time(self):
        status, _, err = self.run_job("-n", 1, *self.shell("exit 75"), ":", "-n", 1, *self.shell("exec sleep 300"),
                                      options=["--grace", "1"])

        self.assertIn("did not end after the run was ended from outside", err)
        self.assertNotEqual(status, 0)

    def test_a_killed_trainer_shows_as_such(self):
        status, _, err = self.run_job("-n", 1, *self.shell("kill -KILL $$"), ":", "-n", 1, *self.loader("sleep 300"))

        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("killed by signal 9", err)

    def test_the_death_of_a_loader_is_no_failure_of_a_job_that_completes(self):
        for death in ("kill -KILL $$", "exit 5"):
            status, out, err = self.run_job("-n", 2, *self.shell("sleep 1; echo done"), ":", "-n", 1,
                                            *self.loader(death), ":", "-n", 1, *self.loader("exit 0"))

            self.assertEqual((status, out), (0, "done\ndone\n"))
            self.assertIn("rank 2 (a loader)", err)

    def test_the_loaders_failure_counts_where_there_are_only_loaders(self):
        self.assertEqual(self.run_job("-n", 1, *self.loader("exit 5"))[0], 5)

    def test_a_loader_that_does_not_end_is_ended_after_the_grace_time(self):
        status, _, err = self.run_job("-n", 1, *self.shell("exit 0"), ":", "-n", 1, *self.loader("sleep 300"),
                                      options=["--grace", "1"])

        self.assertEqual(status, 0)
        self.assertIn("they did not end after all trainers had", err)

    def test_a_launcher_that_does_not_end_is_ended_even_if_it_ignores_that(self):
        launcher = self.folder / "mpirun"
        launcher.write_text(f'#!/bin/sh\n: {self.folder}\n[ "$1" = --version ] && exec mpirun --version\n'
                            'trap "" TERM\nmpirun "$@"\nexec sleep 300\n')
        launcher.chmod(0o755)

        status, _, err = self.run_job("-n", 1, *self.shell("exit 0"),
                                      options=["--launcher", str(launcher), "--grace", "1"])

        self.assertEqual(status, 0)
        self.assertIn("it did not end after all ranks had", err)

    def test_a_launcher_that_is_killed_takes_its_ranks_along(self):
        job = self.start("-n", 2, *self.shell(f"touch {self.folder}/ready.$OMPI_COMM_WORLD_RANK; sleep 300"))
        self.wait_for("ready.0", "ready.1")
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()

        os.kill(int(children[0]), signal.SIGKILL)

        self.assertEqual(self.finish(job)[0], 128 + signal.SIGKILL)

    def test_a_killed_stowage_run_takes_the_job_along_and_its_folder_is_removed_by_the_next(self):
        job = self.start("-n", 1, *self.shell(f"touch {self.folder}/ready; sleep 300"))
        self.wait_for("ready")
        job.kill()
        job.communicate(timeout=120)
        self.assertEqual(len(list(self.results.iterdir())), 1)

        self.assertEqual(self.run_job("-n", 1, *self.shell("exit 0"))[0], 0)

    def test_the_program_dies_with_the_process_that_watches_it(self):
        status, _, err = self.run_job("-n", 1, *self.shell("kill -KILL $PPID; sleep 300"))

        self.assertEqual(status, 128 + signal.SIGKILL, err)

    def test_each_signal_comes_once_to_each_rank(self):
        listener = self.folder / "listener.py"
        listener.write_text(LISTENER)
        words = [sys.executable, listener, self.folder]
        job = self.start("-n", 2, *words, ":", "-n", 1, *words)
        self.wait_for("ready.0", "ready.1", "ready.2")
        sent = [signal.SIGUSR1, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]

        for number in sent:
            job.send_signal(number)
            time.sleep(0.5)

        (self.folder / "stop").touch()
        self.assertEqual(self.finish(job)[0], 0)
        for rank in range(3):
            heard = (self.folder / f"heard.{rank}").read_text().split()
            self.assertEqual(heard, [number.name for number in sent])

    def test_ranks_that_have_just_started_count_as_started_when_a_signal_comes(self):
        job = self.start("-n", 1, *self.shell(f"trap 'exit 9' TERM; touch {self.folder}/ready; while :; do sleep 0.1; done"))
        self.wait_for("ready")

        job.send_signal(signal.SIGTERM)

        status, _, err = self.finish(job)
        self.assertEqual(status, 9, err)
        self.assertNotIn("before a rank had started", err)

    def test_a_signal_to_the_watching_process_reaches_the_program(self):
        listener = self.folder / "listener.py"
        listener.write_text(LISTENER)
        job = self.start("-n", 1, sys.executable, listener, self.folder)
        self.wait_for("ready.0")
        marker = next(next(self.results.iterdir()).glob("0.started"))
        watcher = int(marker.read_text().split()[3])

        os.kill(watcher, signal.SIGUSR2)
        time.sleep(0.5)

        (self.folder / "stop").touch()
        self.finish(job)
        self.assertEqual((self.folder / "heard.0").read_text(), "SIGUSR2\n")

    def test_a_signal_that_ends_the_ranks_is_their_status(self):
        job = self.start("-n", 2, *self.shell(f"touch {self.folder}/ready.$OMPI_COMM_WORLD_RANK; exec sleep 300"))
        self.wait_for("ready.0", "ready.1")

        job.send_signal(signal.SIGTERM)

        self.assertEqual(self.finish(job)[0], 128 + signal.SIGTERM)

    def test_a_program_sees_what_it_would_see_under_mpirun_alone(self):
        words = ["-n", "1", sys.executable, "-c", SHOW, "two words", "", "*"]
        alone = subprocess.run(["mpirun", "--oversubscribe", *words], input="some\ninput", text=True, timeout=120,
                               capture_output=True, check=True)

        status, out, err = self.run_job(*words, stdin="some\ninput")

        self.assertEqual((status, out), (0, alone.stdout), err)
        self.assertIn("some\ninput", out)

    def test_survival_is_told_to_programs(self):
        self.assertEqual(self.run_job("-n", 1, *self.shell("echo $STOWAGE_SURVIVAL"))[1], "1\n")

    def test_messages_are_not_read_from_the_memory_of_ranks_that_may_die_unless_asked_for(self):
        words = ["-n", 1, *self.shell("echo $OMPI_MCA_btl_vader_single_copy_mechanism")]

        self.assertEqual(self.run_job(*words)[1], "none\n")
        self.assertEqual(self.run_job("--mca", "btl_vader_single_copy_mechanism", "cma", *words)[1], "cma\n")

    def test_slurm_does_not_notice_that_a_rank_died_before_the_job_is_over(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        port = server.getsockname()[1]
        environment = dict(os.environ, PMIX_NAMESPACE="slurm.pmix.1.0", PMIX_RANK="0",
                           PMIX_SERVER_URI4=f"server.0;tcp4://127.0.0.1:{port}")
        program = self.folder / "program.py"
        program.write_text(f"import os, socket, time\nkept = socket.create_connection(('127.0.0.1', {port}))\ntime.sleep(1)\n"
                           "os.kill(os.getpid(), 9)\n")
        python = [sys.executable, program]
        for words in python, ["sh", "-c", '"$@"; kill -9 $$', "sh", *python]:  # also where it runs below a script
            with self.subTest(words=words):
                for file in self.results.iterdir():
                    file.unlink()
                rank = subprocess.Popen([RUN, "--rank", self.results, *words], env=environment)
                connection, _ = server.accept()
                self.addCleanup(connection.close)
                self.wait_for("results/0.ended")
                connection.settimeout(1)

                with self.assertRaises(TimeoutError):
                    connection.recv(1)

                (self.results / "over").touch()
                self.assertEqual(connection.recv(1), b"")
                self.assertEqual(rank.wait(10), -signal.SIGKILL)

    def test_a_launcher_that_starts_nothing_gives_its_own_status(self):
        status, _, err = self.run_job("--no-such-option", "-n", 1, *self.shell("exit 0"))

        self.assertNotEqual(status, 0, err)

    def test_a_program_that_cannot_be_started_ends_the_job(self):
        not_executable = self.folder / "text"
        not_executable.write_text("text")
        status, _, err = self.run_job("-n", 1, "env", not_executable, ":", "-n", 1, *self.shell("sleep 300"))

        self.assertEqual(status, 126, err)

    def test_a_job_of_which_some_ranks_never_come_ends(self):
        status, _, err = self.run_job("-n", 1, *self.shell("exit 0"), ":", "-n", 1, self.folder / "nothing",
                                      options=["--grace", "1"])

        self.assertEqual(status, 1, err)
        self.assertIn("only 1 of 2 ranks came", err)

    def test_wrong_words_are_refused_with_the_usage(self):
        for words in ([], ["--grace", "x", "-n", "1", "true"], ["--launcher", "nothere", "-n", "1", "true"]):
            done = subprocess.run([RUN, *words], capture_output=True, text=True, timeout=120, check=False)

            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
