#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stowage check as its users see it: every problem with its place, the exit code, and what the run would do.

Usage: check_test.py [unittest options], with the program in the environment variable STOWAGE.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from megatron import write_pair

STOWAGE = os.environ["STOWAGE"]
INVALID_ARGUMENT, CONFIG_ERROR, DATA_ERROR, IO_ERROR = 2, 3, 4, 5
HEAD = "steps: 6\nbatch: {sequences: 4}\nmicro_batch: {tokens: 16}\nsources:\n"
SOURCE = "  - {name: a, format: megatron, path: a}\n"  # the path stands at 5:41
LENGTHS = 34  # offset of the first length in an .idx


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.sequences = [[10 * n + i for i in range(n % 5 + 1)] for n in range(10)]  # lengths 1 to 5, 30 tokens
        self.pair("a", self.sequences)

    def pair(self, name, sequences, **options):
        write_pair(self.folder / name, sequences, **options)

    def change(self, name, edit):
        path = self.folder / name
        path.write_bytes(edit(path.read_bytes()))

    def overwrite(self, name, offset, value):
        self.change(name, lambda data: data[:offset] + value + data[offset + len(value):])

    def hdf5(self, name, texts):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (self.folder / "in.jsonl").write_text(lines)
        subprocess.run([STOWAGE, "import", "in.jsonl", "-o", name], cwd=self.folder, check=True, capture_output=True,
                       timeout=120)

    def check(self, text, *options, user=None):
        (self.folder / "demo.yaml").write_text(text)
        return subprocess.run([STOWAGE, "check", "demo.yaml", *options], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, user=user)

    def assert_refused(self, result, status, *lines):
        self.assertEqual(result.stderr.splitlines(), list(lines))
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.returncode, status)

    def assert_accepted(self, result):
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0)


class Text(CheckTest):
    def test_every_problem_of_the_text_is_reported(self):
        result = self.check("steps: 0\nbtach: {sequences: 4}\nbatch: {sequences: 4}\nmicro_batch: {tokens: 0}\nsources:\n"
                            + SOURCE + SOURCE)

        self.assert_refused(result, CONFIG_ERROR,
                            "demo.yaml:1:8: steps must be an integer >= 1, got 0",
                            "demo.yaml:2:1: unknown key 'btach': did you mean 'batch'?",
                            "demo.yaml:4:23: micro_batch.tokens must be an integer >= 1, got 0",
                            "demo.yaml:7:12: duplicate source name 'a': first given at line 6")

    def test_wrong_weights_are_refused(self):
        for weight, found in (("-1", "-1"), ("heavy", "'heavy'"), (".nan", "'.nan'"), (".inf", "'.inf'")):
            result = self.check(HEAD + f"  - {{name: a, format: megatron, path: a, weight: {weight}}}\n")

            self.assert_refused(result, CONFIG_ERROR,
                                f"demo.yaml:5:50: source 'a': weight must be a finite number >= 0, got {found}")

    def test_weights_that_are_all_0_are_refused(self):
        result = self.check(HEAD + "  - {name: a, format: megatron, path: a, weight: 0}\n")

        self.assert_refused(result, CONFIG_ERROR,
                            "demo.yaml:5:50: the weights of all sources are 0: give at least one a weight > 0")

    def test_more_replicas_than_sequences_of_a_batch_are_refused(self):
        result = self.check("data_parallel: 5\n" + HEAD + SOURCE)

        self.assert_refused(result, CONFIG_ERROR, "demo.yaml:1:16: data_parallel must not exceed batch.sequences, "
                            "got 5 replicas for 4 sequences")

    def test_problems_of_the_data_are_reported_beside_those_of_the_text(self):
        (self.folder / "a.bin").unlink()

        result = self.check(HEAD.replace("steps", "stepz") + SOURCE + "  - {name: b, format: hdf5, path: b.h5}\n"
                            "  - {name: c, format: tar, path: c}\n")

        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 5, result.stderr)
        self.assertEqual(lines[:3], ["demo.yaml:1:1: either steps or epochs is missing",
                                     "demo.yaml:1:1: unknown key 'stepz': did you mean 'steps'?",
                                     "demo.yaml:7:23: source 'c': format must be megatron or hdf5, got 'tar'"])
        self.assertTrue(lines[3].startswith("demo.yaml:5:39: source 'a': "), lines[3])
        self.assertTrue(lines[4].startswith("demo.yaml:6:35: source 'b': "), lines[4])
        self.assertEqual(result.returncode, CONFIG_ERROR)

    def test_a_wrong_cap_or_policy_raises_no_problem_with_the_data(self):
        result = self.check("over_long: spilt\n" + HEAD.replace("16", "none") + SOURCE)

        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    def test_after_a_syntax_error_no_source_is_opened(self):
        result = self.check(HEAD + SOURCE.replace("path: a", "path: absent") + "  - {name: b]\n")

        self.assert_refused(result, CONFIG_ERROR, "demo.yaml:6:13: YAML syntax: illegal flow end")

    def test_a_missing_configuration_is_an_io_error(self):
        result = subprocess.run([STOWAGE, "check", "absent.yaml"], cwd=self.folder, capture_output=True, text=True,
                                timeout=120)

        self.assert_refused(result, IO_ERROR,
                            "stowage: cannot read the configuration 'absent.yaml': No such file or directory")

    def test_no_configuration_is_an_invalid_argument(self):
        result = subprocess.run([STOWAGE, "check"], capture_output=True, text=True, timeout=120)

        self.assertEqual(result.returncode, INVALID_ARGUMENT)


class Data(CheckTest):
    def assert_problem(self, status, *parts, text=HEAD + SOURCE, options=(), user=None):
        """One problem, at the path of source a."""
        result = self.check(text, *options, user=user)

        self.assertTrue(result.stderr.startswith("demo.yaml:5:39: source 'a': "), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.returncode, status)

    def test_truncated_bin(self):
        self.change("a.bin", lambda data: data[:-1])

        self.assert_problem(DATA_ERROR, "a.bin: expected 30 tokens of 2 bytes", "found a file of 59 bytes", "truncated")

    def test_truncated_idx(self):
        self.change("a.idx", lambda data: data[:-1])

        self.assert_problem(DATA_ERROR, "a.idx: expected", "truncated")

    def test_wrong_magic(self):
        self.overwrite("a.idx", 0, b"PARQUET")

        self.assert_problem(DATA_ERROR, "a.idx: offset 0: expected the magic 'MMIDIDX', found 'PARQUET")

    def test_pointer_past_the_end(self):
        self.overwrite("a.idx", LENGTHS + 4 * 10 + 8 * 9, struct.pack("<q", 1 << 40))

        self.assert_problem(DATA_ERROR, "a.idx: offset 146: sequence 9: expected byte pointer 50, found 1099511627776",
                            "points outside the 60 bytes of a.bin")

    def test_document_index_that_does_not_end_at_the_number_of_sequences(self):
        self.pair("a", self.sequences, documents=[0, 4, 9])

        self.assert_problem(DATA_ERROR, "a.idx: expected the document index to end at 10, the number of sequences, found 9")

    def test_empty_source(self):
        self.pair("a", [])

        self.assert_problem(DATA_ERROR, "a.idx: empty source: expected at least 1 sequence, found 0")

    def test_missing_file(self):
        (self.folder / "a.idx").unlink()

        self.assert_problem(IO_ERROR, "a.idx", "No such file or directory")

    def test_unreadable_file(self):
        self.folder.chmod(0o755)
        (self.folder / "a.bin").chmod(0)
        nobody = 65534 if os.geteuid() == 0 else None  # root may read every file

        self.assert_problem(IO_ERROR, "a.bin", "Permission denied", user=nobody)

    def test_path_through_a_file(self):
        self.assert_problem(IO_ERROR, "a.bin/x", "Not a directory", text=HEAD + SOURCE.replace("path: a", "path: a.bin/x"))

    def test_glob_without_a_match(self):
        self.assert_problem(IO_ERROR, "b*: expected at least one matching file, found none",
                            text=HEAD + SOURCE.replace("path: a", "path: b*"))

    def test_token_past_the_vocabulary_is_found_by_reading(self):
        text = HEAD + SOURCE.replace("path: a", "path: a, vocab_size: 94")  # the last id is 94

        self.assert_accepted(self.check(text))
        self.assert_problem(DATA_ERROR, "a.bin", "94", text=text, options=["--data"])
        self.assert_accepted(self.check(text.replace("94", "95"), "--data"))

    def test_flipped_byte_of_an_hdf5_shard_is_found_by_reading(self):
        self.hdf5("a.h5", ["to be kept", "to be flipped"])
        text = HEAD + SOURCE.replace("megatron, path: a", "hdf5,     path: a.h5")
        self.assert_accepted(self.check(text, "--data"))
        tokens = struct.pack("<7H", *b"flipped")
        self.change("a.h5", lambda data: data.replace(tokens, b"g" + tokens[1:]))

        self.assert_problem(DATA_ERROR, "a.h5: block 0", "expected checksum", "the file is damaged", text=text,
                            options=["--data"])

    def test_over_long_sequences_without_a_policy(self):
        result = self.check(HEAD.replace("tokens: 16", "tokens: 4") + SOURCE)

        self.assert_refused(result, DATA_ERROR,
                            "demo.yaml:5:5: source 'a': 2 of 10 sequences are longer than a micro-batch holds (4 tokens; the "
                            "longest has 5); choose over_long: drop, truncate or split, or raise micro_batch.tokens")

    def test_every_damaged_source_is_reported_and_the_first_gives_the_status(self):
        self.pair("b", [[1]])
        self.change("b.bin", lambda data: b"")

        result = self.check(HEAD + "  - {name: none, format: megatron, path: absent}\n"
                            "  - {name: b, format: megatron, path: [b, gone, a]}\n")

        lines = result.stderr.splitlines()
        self.assertEqual([line[:len("demo.yaml:5:42")] for line in lines],
                         ["demo.yaml:5:42", "demo.yaml:6:39", "demo.yaml:6:39"], result.stderr)
        self.assertIn("b.bin", lines[1])
        self.assertIn("gone", lines[2])
        self.assertEqual(result.returncode, IO_ERROR)

    def test_every_damaged_shard_is_found_by_reading(self):
        self.pair("b", [[1, 2], [70, 3]])
        text = HEAD + SOURCE.replace("path: a", "path: [a, b], vocab_size: 60")

        result = self.check(text, "--data")

        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        self.assertEqual(result.returncode, DATA_ERROR)

    def test_fewer_sequences_than_replicas(self):
        result = self.check("data_parallel: 11\nepochs: 1\nbatch: {sequences: 16}\nmicro_batch: {tokens: 16}\nsources:\n" + SOURCE)

        self.assertEqual(result.returncode, CONFIG_ERROR)
        self.assertTrue(result.stderr.startswith("demo.yaml:3:8: expected at least as many sequences as replicas (11), "
                                                 "found 10"), result.stderr)


class Forecast(CheckTest):
    """What is printed for a valid run, as lines with runs of blanks made one."""

    def lines(self, text, *options):
        result = self.check(text, *options)
        self.assert_accepted(result)
        return [" ".join(line.split()) for line in result.stdout.splitlines()]

    def test_a_run_of_steps(self):
        self.pair("b", [[0] * 8] * 4)
        sources = "  - {name: a, format: megatron, path: a, weight: 3}\n  - {name: b, format: megatron, path: b, weight: 1}\n"

        lines = self.lines(HEAD + sources)

        self.assertEqual(lines[0], "source format sequences tokens length min/mean/max asked draws epochs of tokens")
        self.assertEqual(lines[1].split()[:9], ["a", "megatron", "10", "30", "1/3.0/5", "75.00", "%", "18", "1.80"])
        self.assertEqual(lines[2].split()[:9], ["b", "megatron", "4", "32", "8/8.0/8", "25.00", "%", "6", "1.50"])
        self.assertEqual(lines[3], "all 14 62 24")
        self.assertIn("run: 6 steps of 4 sequences for 1 replicas", lines)
        self.assertIn("last batch: complete, sources start over as needed", lines)

    def test_a_disabled_source_is_said_and_not_opened(self):
        lines = self.lines(HEAD + "  - {name: a, format: megatron, path: a, weight: 1}\n"
                           "  - {name: off, format: hdf5, path: absent, weight: 0}\n")

        self.assertIn("off hdf5 disabled by weight 0", lines)

    def test_epochs_with_an_incomplete_last_batch(self):
        text = "epochs: 3\nbatch: {sequences: 4, last: LAST}\nmicro_batch: {tokens: 16}\ndata_parallel: 3\nsources:\n" + SOURCE

        delivered = self.lines(text.replace("LAST", "deliver"))
        dropped = self.lines(text.replace("LAST", "drop"))

        self.assertIn("run: 8 steps of 4 sequences for 3 replicas", delivered)
        self.assertIn("delivered: 30 sequences, 90 tokens", delivered)
        self.assertIn("last batch: 2 of 4 sequences, delivered; at least 1 replicas get padding alone", delivered)
        self.assertIn("run: 7 steps of 4 sequences for 3 replicas", dropped)
        self.assertIn("last batch: incomplete, 2 sequences are dropped (batch.last: drop)", dropped)

    def test_epochs_that_fill_their_batches(self):
        lines = self.lines("epochs: 2\nbatch: {sequences: 5}\nmicro_batch: {tokens: 16}\nsources:\n" + SOURCE)

        self.assertIn("run: 4 steps of 5 sequences for 1 replicas", lines)
        self.assertIn("last batch: complete", lines)

    def test_batches_measured_in_tokens(self):
        lines = self.lines("epochs: 1\nbatch: {tokens: 1000}\nmicro_batch: {tokens: 16}\nsources:\n" + SOURCE)

        self.assertIn("run: 1 steps of up to 1,000 tokens for 1 replicas", lines)
        self.assertIn("last batch: 30 of 1,000 tokens, delivered", lines)

    def test_weights_measured_in_tokens(self):
        self.pair("long", [[0] * 15] * 10)
        sources = "".join(f"  - {{name: {name}, format: megatron, path: {name}, weight: 1}}\n" for name in ("a", "long"))

        lines = self.lines("weights: tokens\n" + HEAD.replace("steps: 6", "steps: 600") + sources)

        self.assertEqual(lines[1].split()[5:], ["50.00", "%", "2,000", "200.00", "50.00", "%"])
        self.assertEqual(lines[2].split()[5:], ["50.00", "%", "400", "40.00", "50.00", "%"])

    def test_what_becomes_of_sequences_that_do_not_fit(self):
        text = "epochs: 2\nbatch: {sequences: 4}\nmicro_batch: {tokens: 4}\nover_long: POLICY\nsources:\n" + SOURCE
        expected = {"drop": "dropped (4 draws)", "split": "split into pieces of one step (4 draws)",
                    "truncate": "truncated, 4 tokens cut off (4 draws)"}

        for policy, fate in expected.items():
            self.assertIn("a: 2 of 10 sequences are over-long (more than 4 tokens): " + fate,
                          self.lines(text.replace("POLICY", policy)))

    def test_what_becomes_of_sequences_without_tokens(self):
        self.pair("a", [[], [1], []])
        text = "epochs: 1\nbatch: {sequences: 1}\nmicro_batch: {tokens: 4}\nzero_length: POLICY\nsources:\n" + SOURCE

        self.assertIn("a: 2 of 3 sequences have no tokens: kept, as segments of length 0",
                      self.lines(text.replace("POLICY", "keep")))
        dropped = self.lines(text.replace("POLICY", "drop"))
        self.assertIn("a: 2 of 3 sequences have no tokens: dropped", dropped)
        self.assertIn("delivered: 1 sequences, 1 tokens", dropped)

    def test_a_long_run_is_estimated(self):
        lines = self.lines(HEAD.replace("steps: 6", "steps: 1000000000") + SOURCE)

        self.assertIn("run: 1,000,000,000 steps of 4 sequences for 1 replicas", lines)
        self.assertIn("delivered: ~4,000,000,000 sequences, ~12,000,000,000 tokens", lines)

    def test_the_last_batch_of_a_long_run_is_exact(self):
        text = "epochs: 3000001\nbatch: {sequences: 8, last: LAST}\nmicro_batch: {tokens: 16}\nsources:\n" + SOURCE

        self.assertIn("last batch: 2 of 8 sequences, delivered", self.lines(text.replace("LAST", "deliver")))
        self.assertIn("last batch: incomplete, 2 sequences are dropped (batch.last: drop)",
                      self.lines(text.replace("LAST", "drop")))

    def test_a_step_of_a_billion_sequences_is_not_gone_through(self):
        lines = self.lines(HEAD.replace("sequences: 4", "sequences: 4000000000") + SOURCE)

        self.assertIn("delivered: not worked out, one step is too long for that", lines)

    def test_the_micro_batch_is_described(self):
        text = HEAD.replace("{tokens: 16}", "{tokens: 16, pad_segments_to: 8, pad_to_cap: true, equal_counts: false}")

        self.assertIn("micro-batch: exactly 16 tokens, segments padded to multiples of 8", self.lines(text + SOURCE))


if __name__ == "__main__":
    unittest.main()
