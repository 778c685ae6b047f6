#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stowage import as its users see it: files, messages, exit codes, and a progress bar on a terminal only.

Usage: import_test.py [unittest options], with the program in the environment variable STOWAGE. What was imported is
read back with a reader of this file's own.
"""
import array
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import unittest

STOWAGE = os.environ["STOWAGE"]


def run(*arguments):
    return subprocess.run([STOWAGE, "import", *arguments], capture_output=True, text=True, timeout=60)


def run_on_terminal(*arguments):
    """Exit status and everything that the command wrote to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([STOWAGE, "import", *arguments], stdout=slave, stderr=slave)
    os.close(slave)
    output = b""
    try:
        while chunk := os.read(master, 65536):
            output += chunk
    except OSError:  # Linux reports the end of a terminal's output as an input error
        pass
    os.close(master)
    return process.wait(timeout=60), output.decode()


def read_megatron(prefix):
    with open(prefix + ".idx", "rb") as file:
        idx = file.read()
    with open(prefix + ".bin", "rb") as file:
        tokens = array.array({8: "H", 4: "i"}[idx[17]], file.read())
    count, = struct.unpack_from("<Q", idx, 18)
    lengths = struct.unpack_from(f"<{count}i", idx, 34)
    pointers = struct.unpack_from(f"<{count}q", idx, 34 + 4 * count)
    first = [pointer // tokens.itemsize for pointer in pointers]
    return [tokens[begin:begin + length].tolist() for begin, length in zip(first, lengths)]


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(self.folder.cleanup)
        self.texts = ["", "plain", "Grüße, 世界 🚢\n\ttabs \"quotes\" \\", "x" * 100_000] + [f"document {i}" for i in range(5000)]
        self.input = self.path("in.jsonl")
        with open(self.input, "w", encoding="utf-8") as file:
            for i, text in enumerate(self.texts):
                print(json.dumps({"id": i, "text": text}, ensure_ascii=i % 2 == 0), file=file)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_tokens_are_the_bytes_of_the_text(self):
        result = run(self.input, "-o", self.path("out"), "--append-eod", "--threads", "3")

        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_megatron(self.path("out")), [[*text.encode(), 256] for text in self.texts])

    def test_the_closing_line_counts_what_was_imported(self):
        result = run(self.input, "-o", self.path("out"))

        tokens = sum(len(text.encode()) for text in self.texts)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, rf"^imported 5,004 documents, {tokens:,} tokens from 1 files, "
                         rf"{os.path.getsize(self.input):,} bytes in \d+\.\d\d s to {re.escape(self.path('out'))}; "
                         r"1 documents without text kept\n$")

    def test_a_log_gets_no_progress_bar(self):
        result = run(self.input, "-o", self.path("out.h5"))

        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("\r", result.stderr)
        self.assertNotIn("\033", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_a_terminal_gets_a_progress_bar(self):
        status, output = run_on_terminal(self.input, "-o", self.path("out"))

        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"\r\033\[Kimport \[#*-*\] +\d+ %  .*documents")
        self.assertRegex(output, r"\r\033\[Kimported 5,004 documents.*\r\n$")

    def test_the_bar_is_gone_before_an_error_is_printed(self):
        with open(self.input, "a", encoding="utf-8") as file:
            file.write("x" * 3_000_000 + "\n")

        status, output = run_on_terminal(self.input, "-o", self.path("out"), "--threads", "1")

        self.assertEqual(status, 4)
        self.assertIn("\r\033[Kstowage: " + self.input + ":5005: malformed JSON", output)

    def test_the_format_follows_the_name_of_the_output(self):
        run(self.input, "-o", self.path("out.h5"))
        run(self.input, "-o", self.path("named.h5"), "--format", "megatron")

        with open(self.path("out.h5"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89HDF\r\n\x1a\n")
        self.assertTrue(os.path.exists(self.path("named.h5.idx")))

    def test_a_bad_line_ends_with_the_status_of_bad_data(self):
        with open(self.input, "a", encoding="utf-8") as file:
            file.write("{oops}\n")

        refused = run(self.input, "-o", self.path("out"))
        skipped = run(self.input, "-o", self.path("out"), "--skip-bad", "--skip-empty")

        self.assertEqual(refused.returncode, 4)
        self.assertRegex(refused.stderr, rf"^stowage: {re.escape(self.input)}:5005: malformed JSON at byte 2: .*\n$")
        self.assertEqual(skipped.returncode, 0)
        self.assertTrue(skipped.stderr.endswith("; 1 documents without text skipped; 1 bad lines skipped\n"), skipped.stderr)

    def test_a_second_import_needs_force(self):
        first = run(self.input, "-o", self.path("out"))
        second = run(self.input, "-o", self.path("out"))
        forced = run(self.input, "-o", self.path("out"), "--force")

        self.assertEqual((first.returncode, second.returncode, forced.returncode), (0, 5, 0), second.stderr)

    def test_globs_choose_files_of_a_folder(self):
        os.makedirs(self.path("folder/sub"))
        for name in ("a.txt", "b.md", "sub/c.rst"):
            with open(self.path("folder/" + name), "w", encoding="utf-8") as file:
                file.write(name)

        result = run(self.path("folder"), "-o", self.path("out"), "--glob", "*.md", "--glob", "*.rst")

        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_megatron(self.path("out")), [list(b"b.md"), list(b"sub/c.rst")])

    def test_wrong_usage_ends_with_the_status_of_a_bad_argument(self):
        for arguments in ([], [self.input], [self.input, "-o", self.path("out"), "--dtype", "u8"],
                          [self.input, "-o", self.path("out"), "--threads", "0"]):
            self.assertEqual(run(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    sys.exit(unittest.main())
