#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HDF5 shards as other programs see them: h5dump, h5repack, and the Python code of docs/hdf5-shards.md.

Usage: hdf5_shard_test.py [unittest options], with the program in the environment variable STOWAGE and the documentation
in STOWAGE_DOCS_DIR. What is not installed is skipped and said.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

STOWAGE = os.environ["STOWAGE"]
PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for
TEXTS = ["alpha", "", "x" * 5000, "ω"]


def has_modules(*names):
    command = [PYTHON, "-c", "; ".join(f"import {name}" for name in names)]
    return os.path.exists(PYTHON) and subprocess.run(command, capture_output=True, timeout=60).returncode == 0


def documented_programs():
    with open(os.path.join(os.environ["STOWAGE_DOCS_DIR"], "hdf5-shards.md"), encoding="utf-8") as file:
        return re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)


class Hdf5Shard(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(self.folder.cleanup)
        self.shard = self.path("shard.h5")
        with open(self.path("in.jsonl"), "w", encoding="utf-8") as file:
            for text in TEXTS:
                print(json.dumps({"text": text}), file=file)
        self.run_checked(STOWAGE, "import", "in.jsonl", "-o", "shard.h5")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_checked(self, *command):
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    @unittest.skipUnless(shutil.which("h5dump"), "h5dump is not installed")
    def test_h5dump_prints_a_shard_sensibly(self):
        printed = self.run_checked("h5dump", "-w", "100", "shard.h5")

        def value(kind, name):
            found = re.search(rf'{kind} "{name}" {{.*?DATA {{\s*(.*?)\s*}}', printed, re.DOTALL)
            self.assertIsNotNone(found, f"{kind} {name} is missing in:\n{printed[:2000]}")
            return re.sub(r"\s*\(\d+\): ", " ", found[1]).strip()

        self.assertEqual(value("ATTRIBUTE", "format"), '"stowage-tokens"')
        self.assertEqual(value("ATTRIBUTE", "version"), "1")
        self.assertEqual(value("ATTRIBUTE", "vocab_size"), "257")
        self.assertEqual(value("ATTRIBUTE", "block_bytes"), "4096")
        self.assertEqual(value("ATTRIBUTE", "tool").split()[0], '"stowage')
        self.assertEqual(value("DATASET", "inputs"), '"in.jsonl"')
        self.assertEqual(value("DATASET", "offsets"), "0, 5, 5, 5005, 5007")
        self.assertEqual(value("DATASET", "documents"), "0, 1, 2, 3, 4")
        self.assertTrue(value("DATASET", "tokens").startswith("97, 108, 112, 104, 97, 120, 120"))
        self.assertEqual(len(value("DATASET", "block_checksums").split(", ")), 3)

    @unittest.skipUnless(shutil.which("h5repack"), "h5repack is not installed")
    def test_a_repacked_shard_is_still_valid(self):
        self.run_checked("h5repack", "shard.h5", "repacked.h5")

        printed = self.run_checked(STOWAGE, "inspect", "--verify", "repacked.h5")
        self.assertIn("3 block checksums match", printed)

    @unittest.skipUnless(has_modules("h5py"), "python3-h5py is not installed")
    def test_the_documented_reader_gives_every_token(self):
        printed = self.run_checked(PYTHON, "-c", documented_programs()[0], "shard.h5")

        rows = [[int(word) for word in line.split()] for line in printed.splitlines()]
        self.assertEqual(rows, [[i, i, *text.encode()] for i, text in enumerate(TEXTS)])

    @unittest.skipUnless(has_modules("h5py", "xxhash"), "python3-h5py or python3-xxhash is not installed")
    def test_the_documented_checksums_are_the_stored_ones(self):
        self.assertEqual(self.run_checked(PYTHON, "-c", documented_programs()[1], "shard.h5"), "sound\n")


if __name__ == "__main__":
    unittest.main()
