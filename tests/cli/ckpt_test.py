#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stowage ckpt`, and checkpoints as other programs see them: h5dump, and the Python code of docs/checkpoint.md.

Usage: ckpt_test.py [unittest options], with the programs in the environment variables STOWAGE and WRITER and the
documentation in STOWAGE_DOCS_DIR. What is not installed is skipped and said.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

STOWAGE, WRITER = os.environ["STOWAGE"], os.environ["WRITER"]
PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for


def has_modules(*names):
    command = [PYTHON, "-c", "; ".join(f"import {name}" for name in names)]
    return os.path.exists(PYTHON) and subprocess.run(command, capture_output=True, timeout=60).returncode == 0


def documented_programs():
    text = (pathlib.Path(os.environ["STOWAGE_DOCS_DIR"]) / "checkpoint.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


class Ckpt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "checkpoints"
        # Bases are generations 1 and 4; 2, 3 and 5 are differences.
        written = self.run_checked(WRITER, self.folder, "5", "7")
        self.steps = [int(line) for line in written.splitlines()[1:]]

    def run_any(self, *command):
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, check=False)

    def run_checked(self, *command):
        result = self.run_any(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def ckpt(self, *words):
        return self.run_any(STOWAGE, "ckpt", *words)

    def files(self):
        return sorted(self.folder.glob("ckpt-*.h5"))

    def damage(self, file, at=100):
        content = bytearray(file.read_bytes())
        content[at] ^= 0x55
        file.write_bytes(content)

    def test_list_shows_every_generation(self):
        listed = json.loads(self.run_checked(STOWAGE, "ckpt", "list", "--json", self.folder))

        self.assertEqual([one["generation"] for one in listed], [1, 2, 3, 4, 5])
        self.assertEqual([one["step"] for one in listed], self.steps)
        self.assertEqual([one["kind"][0] for one in listed], list("bddbd"))
        self.assertEqual([one["parent"] for one in listed], [None, 1, 2, None, 4])
        self.assertEqual([one["bytes"] for one in listed], [file.stat().st_size for file in self.files()])
        self.assertTrue(all(one["valid"] for one in listed))
        rows = self.run_checked(STOWAGE, "ckpt", "list", self.folder).splitlines()
        self.assertRegex(rows[2], rf"^ +2 +{self.steps[1]} difference +[\d,]+ +1  valid$")

    def test_list_says_what_is_not_valid_and_why(self):
        self.damage(self.files()[3])

        listed = self.ckpt("list", self.folder)

        self.assertEqual(listed.returncode, 0)
        self.assertEqual(listed.stdout.count("NOT VALID"), 2)
        self.assertIn(f"5: {self.files()[4]} needs a generation that is not valid: {self.files()[3]}: bytes 0 to 4095: "
                      "expected checksum ", listed.stdout)

    def test_show_gives_the_newest_or_a_step(self):
        newest = json.loads(self.run_checked(STOWAGE, "ckpt", "show", "--json", self.folder))
        second = json.loads(self.run_checked(STOWAGE, "ckpt", "show", "--json", "--step", self.steps[1], self.folder))

        self.assertEqual((newest["generation"], newest["step"]), (5, self.steps[4]))
        self.assertEqual((second["generation"], second["step"]), (2, self.steps[1]))
        self.assertEqual(len(newest["sources"]), 300)
        self.assertEqual(sum(source["drawn"] for source in newest["sources"]), newest["draws"])
        self.assertLess(second["draws"], newest["draws"])
        self.assertEqual(newest["settings"][1], {"key": "note", "value": "two\nlines\tand a \\ and ω"})
        text = self.run_checked(STOWAGE, "ckpt", "show", self.folder)
        self.assertIn(f"\nstep        {self.steps[4]}: the next to deliver\n", text)
        self.assertIn("\nsource299 ", text)

    def test_show_goes_back_to_a_valid_one_and_says_so(self):
        self.damage(self.files()[4])

        shown = self.ckpt("show", "--json", self.folder)

        self.assertEqual(json.loads(shown.stdout)["generation"], 4)
        self.assertIn(f"checkpoint not used: {self.files()[4]}: bytes 0 to ", shown.stderr)
        self.assertIn("going back to generation 4", shown.stderr)

    def test_show_of_a_step_that_is_not_there_lists_those_that_are(self):
        shown = self.ckpt("show", "--step", "123456", self.folder)

        self.assertEqual(shown.returncode, 2)
        self.assertIn("expected a checkpoint of step 123456, found those of steps " + ", ".join(map(str, self.steps)),
                      shown.stderr)

    def test_verify_accepts_what_was_written(self):
        self.assertEqual(self.run_checked(STOWAGE, "ckpt", "verify", self.folder), "5 generations, 0 not valid\n")

    def test_verify_names_file_place_expected_and_found(self):
        for at in (0, 100, 5000, -1, -10, -30, -50):
            with self.subTest(at=at):
                original = self.files()[0].read_bytes()
                self.damage(self.files()[0], at)

                verified = self.ckpt("verify", self.folder)

                self.assertEqual(verified.returncode, 4)
                self.assertIn("5 generations, 3 not valid", verified.stdout)
                self.assertRegex(verified.stderr.splitlines()[0],
                                 rf"^stowage: {self.files()[0]}: (offset|bytes) \d+.*: expected .*, found ")
                self.files()[0].write_bytes(original)

    def test_compact_leaves_one_base_with_the_same_content(self):
        before = json.loads(self.run_checked(STOWAGE, "ckpt", "show", "--json", self.folder))
        self.damage(self.files()[1])

        printed = self.run_checked(STOWAGE, "ckpt", "compact", self.folder)

        self.assertEqual([file.name for file in self.files()], [f"ckpt-00000006-step-{self.steps[4]}.base.h5"])
        self.assertEqual(printed, f"wrote {self.files()[0]}: step {self.steps[4]}; 5 other files removed\n")
        after = json.loads(self.run_checked(STOWAGE, "ckpt", "show", "--json", self.folder))
        for name in ("generation", "kind", "file"):
            before.pop(name), after.pop(name)
        self.assertEqual(before, after)
        again = self.run_checked(STOWAGE, "ckpt", "compact", self.folder)
        self.assertEqual(again, f"kept {self.files()[0]}: step {self.steps[4]}; 0 other files removed\n")
        self.run_checked(WRITER, self.folder, "1", "8")
        self.run_checked(STOWAGE, "ckpt", "verify", self.folder)

    def test_compact_removes_nothing_where_nothing_is_valid(self):
        for file in self.files():
            self.damage(file)

        compacted = self.ckpt("compact", self.folder)

        self.assertEqual(compacted.returncode, 4)
        self.assertEqual(len(self.files()), 5)

    def test_folders_without_checkpoints_are_errors(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for command in ("list", "show", "verify", "compact"):
            for folder, message in ((empty, "expected checkpoints, found none"), (self.folder / "nowhere", "")):
                refused = self.ckpt(command, folder)
                self.assertEqual(refused.returncode, 5, refused.stderr)
                self.assertIn(f"{folder}", refused.stderr)
                self.assertIn(message, refused.stderr)
        self.assertFalse((self.folder / "nowhere").exists())
        self.assertEqual(list(empty.iterdir()), [])

    @unittest.skipUnless(shutil.which("h5dump"), "h5dump is not installed")
    def test_h5dump_prints_checkpoints_sensibly(self):
        base = self.run_checked("h5dump", "-w", "100", self.files()[3])
        difference = self.run_checked("h5dump", "-w", "100", self.files()[4])

        def value(printed, kind, name):
            found = re.search(rf'{kind} "{name}" {{.*?DATA {{\s*\(0\): (.*?)\s*}}', printed, re.DOTALL)
            self.assertIsNotNone(found, f"{kind} {name} is missing in:\n{printed[:2000]}")
            return re.sub(r"\s*\(\d+\): ", " ", found[1]).strip()

        self.assertEqual(value(base, "ATTRIBUTE", "format"), '"stowage-checkpoint"')
        self.assertEqual(value(base, "ATTRIBUTE", "kind"), '"base"')
        self.assertEqual(value(base, "ATTRIBUTE", "step"), str(self.steps[3]))
        self.assertIn("seed", value(base, "DATASET", "settings"))
        self.assertEqual(len(value(base, "DATASET", "drawn").split(",")), 300)
        self.assertRegex(base, r'DATASET "count_tokens" (?s:.)*?ATTRIBUTE "unit" (?s:.)*?"tokens"')
        self.assertEqual(value(difference, "ATTRIBUTE", "kind"), '"difference"')
        self.assertEqual(value(difference, "ATTRIBUTE", "parent_generation"), "4")

    @unittest.skipUnless(has_modules("h5py"), "python3-h5py is not installed")
    def test_the_documented_reader_puts_a_chain_together(self):
        for generation in (1, 3, 5):
            printed = self.run_checked(PYTHON, "-c", documented_programs()[0], self.folder, str(generation))

            read = json.loads(printed)
            shown = json.loads(self.run_checked(STOWAGE, "ckpt", "show", "--json", "--step",
                                                self.steps[generation - 1], self.folder))
            self.assertEqual(read["step"], shown["step"])
            self.assertEqual(read["position"], shown["draws"])
            self.assertEqual(read["plans"], shown["plans"])
            self.assertEqual(read["name"], [source["name"] for source in shown["sources"]])
            for column, key in (("drawn", "drawn"), ("stage_base", "stage_base"), ("count_tokens", "delivered_tokens"),
                                ("count_over_long", "dropped_over_long"), ("count_last_batch", "dropped_last_batch")):
                self.assertEqual(read[column], [source[key] for source in shown["sources"]], column)
            self.assertEqual(read["deferred"], [[one[key] for key in ("draw", "source", "sequence", "epoch", "waited")]
                                                for one in shown["deferred"]])
            self.assertEqual(read["settings"], {one["key"]: one["value"] for one in shown["settings"]})
            self.assertEqual(read["inputs"], [[one["step"], one["kind"], one["text"]] for one in shown["inputs"]])


if __name__ == "__main__":
    unittest.main()
