#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers of checkpoints that die, and systems that fail them: a final name is always absent or complete.

Usage: crash_test.py [unittest options], with the programs in the environment variables STOWAGE, WRITER and FAULT_SHIM.
STOWAGE_CRASH_SEED repeats a run; STOWAGE_CRASH_KILLS sets the number of kills at random moments.
"""
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

STOWAGE, WRITER, SHIM = (os.environ[name] for name in ("STOWAGE", "WRITER", "FAULT_SHIM"))
KILLS = int(os.environ.get("STOWAGE_CRASH_KILLS", "120"))
SEED = int(os.environ.get("STOWAGE_CRASH_SEED", time.time_ns() % 1_000_000))
TIMEOUT = 60


class Crash(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.folder = self.root / "checkpoints"

    def write(self, count, seed, **faults):
        """Runs a writer to its end. Gives its exit status, the steps that it says are published, and its messages."""
        environment = dict(os.environ, **{name.upper(): str(value) for name, value in faults.items()})
        if faults:
            environment |= {"LD_PRELOAD": SHIM, "FAULT_FOLDER": str(self.folder),
                            "FAULT_COUNT": str(self.root / "count")}
        done = subprocess.run([WRITER, self.folder, str(count), str(seed)], env=environment, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)
        return done.returncode, [int(line) for line in done.stdout.split() if line != "ready"], done.stderr

    def check(self, at_least):
        """Every final name is a complete checkpoint, the newest not older than what was said to be published."""
        done = subprocess.run([STOWAGE, "ckpt", "verify", "--json", self.folder], capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        if at_least is None and "found none" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        newest = json.loads(done.stdout)[-1]["step"]
        self.assertGreaterEqual(newest, at_least or 0)
        return newest

    def temporaries(self):
        return [path.name for path in self.folder.iterdir() if ".tmp-" in path.name]

    def start_over_from(self, prepared):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(prepared, self.folder)

    def each_call(self, call, kind):
        """A writer of four checkpoints, once for each call that it makes, each time with that call failing."""
        prepared = self.root / "prepared"
        if not prepared.exists():
            status, before, _ = self.write(7, 1)
            self.assertEqual(status, 0)
            self.before = before[-1]
            self.folder.rename(prepared)
        self.start_over_from(prepared)
        status, clean, _ = self.write(4, 50, fault_call=call, fault_nth=0, fault_kind=kind)
        self.assertEqual(status, 0)
        calls = int((self.root / "count").read_text())
        self.assertGreater(calls, 3)
        for nth in range(1, calls + 1):
            with self.subTest(call=call, kind=kind, nth=nth):
                self.start_over_from(prepared)
                status, published, messages = self.write(4, 50, fault_call=call, fault_nth=nth, fault_kind=kind)
                newest = self.check(published[-1] if published else self.before)
                self.assertIn(newest, [self.before, *clean])
                yield status, published, messages
                # The next start goes on from there and clears up.
                status, more, messages = self.write(1, 99)
                self.assertEqual((status, len(more)), (0, 1), messages)
                self.assertEqual(self.temporaries(), [])
                self.assertGreater(self.check(more[-1]), newest)

    def test_any_call_that_fails_leaves_old_or_new_and_is_named(self):
        for call, code in (("open", errno.EACCES), ("write", errno.ENOSPC), ("write", errno.EIO), ("fsync", errno.EIO),
                           ("rename", errno.EIO)):
            failed = tolerated = 0
            for status, published, messages in self.each_call(call, code):
                if status == 0:
                    self.assertEqual(len(published), 4)
                    tolerated += 1
                    continue
                failed += 1
                self.assertEqual(status, 5, messages)
                self.assertIn(str(self.folder), messages)
                self.assertIn(os.strerror(code), messages)
                self.assertEqual(self.temporaries(), [])
            self.assertGreaterEqual(failed, 4, call)
            # The note in the lock file is for people only; of files that cannot be read, loading goes back to others.
            if call != "open":
                self.assertEqual(tolerated, 1 if call == "write" else 0, call)

    def test_a_failing_removal_is_only_logged(self):
        for status, published, messages in self.each_call("unlink", errno.EPERM):
            self.assertEqual((status, len(published)), (0, 4))
            self.assertIn("cannot remove " + str(self.folder), messages)
            self.assertIn(os.strerror(errno.EPERM), messages)

    def test_short_writes_are_continued(self):
        for status, published, _ in self.each_call("write", "short"):
            self.assertEqual((status, len(published)), (0, 4))

    def test_a_disk_that_stores_something_else_is_noticed(self):
        refused = 0
        for status, published, messages in self.each_call("write", "alter"):
            if status == 0:
                self.assertEqual(len(published), 4)  # it was the note in the lock file
                continue
            refused += 1
            self.assertEqual(status, 5)
            self.assertRegex(messages, rf"{self.folder}/ckpt-.*h5: offset \d+: read back after writing: expected byte ")
            self.assertEqual(self.temporaries(), [])
        self.assertEqual(refused, 4)

    def test_a_file_system_without_locks_is_warned_of_and_left_as_it_is(self):
        self.write(2, 1)
        left = next(self.folder.glob("*.base.h5")).with_suffix(".h5.tmp-00c0ffee")
        left.write_bytes(b"perhaps of a living writer")

        status, published, messages = self.write(2, 2, fault_call="flock", fault_nth=1, fault_kind=errno.ENOLCK)

        self.assertEqual((status, len(published)), (0, 2))
        self.assertIn("this file system has no locks (No locks available)", messages)
        self.assertTrue(left.exists())

    def test_a_kill_before_any_call(self):
        for status, _, _ in self.each_call("any", "kill"):
            self.assertEqual(status, -signal.SIGKILL)

    def test_a_kill_behind_any_call(self):
        for status, _, _ in self.each_call("any", "killed"):
            self.assertEqual(status, -signal.SIGKILL)

    def test_kills_at_random_moments(self):
        print(f"{KILLS} kills at random moments, STOWAGE_CRASH_SEED={SEED}")
        moments = random.Random(SEED)
        published = None
        left = 0
        for kill in range(KILLS):
            writer = subprocess.Popen([WRITER, self.folder, "0", str(kill)], stdout=subprocess.PIPE, text=True)
            self.assertEqual(writer.stdout.readline(), "ready\n")
            time.sleep(moments.uniform(0, 0.03))
            writer.kill()
            said = [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
            writer.wait(TIMEOUT)
            writer.stdout.close()
            published = said[-1] if said else published
            left += len(self.temporaries())
            newest = self.check(published)
            published = newest if newest is not None else published
        self.assertGreater(left, 0, "no kill hit a file under its temporary name")
        self.assertEqual(self.write(1, 1)[0], 0)
        self.assertEqual(self.temporaries(), [])

    def test_a_second_writer_is_refused_while_the_first_lives(self):
        first = subprocess.Popen([WRITER, self.folder, "0", "1"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(first.stdout.close)
        self.addCleanup(first.wait, TIMEOUT)
        self.addCleanup(first.kill)
        self.assertEqual(first.stdout.readline(), "ready\n")

        status, published, messages = self.write(1, 2)

        self.assertEqual((status, published), (9, []))
        self.assertIn(f"found process {first.pid} on host {os.uname().nodename}", messages)
        compact = subprocess.run([STOWAGE, "ckpt", "compact", self.folder], capture_output=True, text=True,
                                 timeout=TIMEOUT, check=False)
        self.assertEqual(compact.returncode, 9)
        self.assertIn(f"found process {first.pid}", compact.stderr)


if __name__ == "__main__":
    unittest.main()
