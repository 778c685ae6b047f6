#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stowage inspect as its users see it: text, histogram, JSON, verification, and what it says of bad files.

Usage: inspect_test.py [unittest options], with the program in the environment variable STOWAGE.
"""
import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios
import unittest

STOWAGE = os.environ["STOWAGE"]
IO_ERROR, DATA_ERROR = 5, 4


def run(*arguments, **environment):
    return subprocess.run([STOWAGE, "inspect", *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **environment})


class Inspect(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write_pair(self, name, documents):
        """A Megatron pair of u16 with one sequence a document."""
        documents = [list(document) for document in documents]
        lengths = [len(document) for document in documents]
        tokens = [token for document in documents for token in document]
        pointers = [2 * sum(lengths[:i]) for i in range(len(lengths))]
        count = len(documents)
        with open(self.path(name + ".idx"), "wb") as file:
            file.write(b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, count, count + 1))
            file.write(struct.pack(f"<{count}i{count}q{count + 1}q", *lengths, *pointers, *range(count + 1)))
        with open(self.path(name + ".bin"), "wb") as file:
            file.write(struct.pack(f"<{len(tokens)}H", *tokens))
        return self.path(name)

    def import_shard(self, texts):
        with open(self.path("in.jsonl"), "w", encoding="utf-8") as file:
            for text in texts:
                print(json.dumps({"text": text}), file=file)
        shard = self.path("shard.h5")
        subprocess.run([STOWAGE, "import", self.path("in.jsonl"), "-o", shard], check=True, capture_output=True,
                       timeout=60)
        return shard

    def test_a_megatron_pair_is_described(self):
        pair = self.write_pair("pair", [[7] * length + [9] for length in (0, 1, 3, 99)] + [[]])

        result = run(pair, COLUMNS="40")

        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"""\
{pair}
  format      Megatron pair
  tokens      107 of type u16, 214 B
  sequences   5; 20.0 % of length 0
  documents   5; 100.0 % of 4 looked at end in token 9
  length      min 0, median 2, mean 21.4, p90 100, p99 100, max 100

  tokens a sequence, number of sequences
       0 ████████████████████████████ 1
       1 ████████████████████████████ 1
       2 ████████████████████████████ 1
       3  0
     4-5 ████████████████████████████ 1
     6-7  0
    8-11  0
   12-15  0
   16-23  0
   24-31  0
   32-47  0
   48-63  0
   64-95  0
  96-127 ████████████████████████████ 1
""")

    def test_an_hdf5_shard_tells_vocabulary_and_provenance(self):
        shard = self.import_shard(["one", "three"])

        result = run(shard)

        self.assertIn("  format      HDF5 shard\n", result.stdout)
        self.assertIn("  vocabulary  257 (", result.stdout)
        self.assertIn("  written by  stowage ", result.stdout)
        self.assertIn(f"  made from   {self.path('in.jsonl')}\n", result.stdout)

    def test_bars_are_proportional_and_adapt_to_the_width(self):
        pair = self.write_pair("pair", [[1]] * 80 + [[1, 1]] * 10)

        for columns in (40, 100):
            bars = [line.split()[1] for line in run(pair, COLUMNS=str(columns)).stdout.splitlines()[-2:]]

            width = columns - len("  1  80") - 1
            self.assertEqual(bars[0], "█" * width)
            self.assertEqual(bars[1], "█" * (width // 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][width % 8])

    def test_the_width_of_a_terminal_is_used(self):
        pair = self.write_pair("pair", [[1]] * 3)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        subprocess.run([STOWAGE, "inspect", pair], stdout=slave, timeout=60, check=True,
                       env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "40"})
        os.close(slave)
        printed = b""
        try:
            while chunk := os.read(master, 65536):
                printed += chunk
        except OSError:  # Linux reports the end of a terminal's output as an input error
            pass
        os.close(master)

        self.assertEqual(len(printed.decode().splitlines()[-1]), 59)

    def test_plain_ascii_where_asked_or_where_the_locale_is_not_utf8(self):
        pair = self.write_pair("pair", [[1]] * 3)

        for result in (run(pair, "--ascii"), run(pair, LC_ALL="C")):
            self.assertTrue(result.stdout.isascii())
            self.assertIn("  1 ####", result.stdout)

    def test_missing_document_ends_are_a_warning(self):
        some = self.write_pair("some", [[1, 9]] * 9 + [[1, 2]])
        none = self.write_pair("none", [[1, i] for i in range(10)])

        self.assertIn("  warning: 10.0 % of the documents do not end in token 9; ", run(some).stdout)
        self.assertNotIn("warning", run(none).stdout)

    def test_json_holds_the_same_facts(self):
        pair = self.write_pair("pair", [[7] * length + [9] for length in (0, 1, 3, 99)] + [[]])
        shard = self.import_shard(["one", "three"])

        found = json.loads(run("--json", "--verify", pair, shard).stdout)

        self.assertEqual([entry["format"] for entry in found], ["megatron", "hdf5"])
        self.assertEqual(found[0]["lengths"],
                         {"min": 0, "median": 2, "mean": 21.4, "p90": 100, "p99": 100, "max": 100})
        self.assertEqual(found[0]["document_ending"], {"token": 9, "share": 1.0, "looked_at": 4, "suspicious": False})
        self.assertEqual(sum(bin["count"] for bin in found[0]["histogram"]), 5)
        self.assertEqual(found[0]["verified"], {"bytes": 214, "blocks": 0, "largest_token": 9})
        self.assertEqual(found[1]["vocab_size"], 257)
        self.assertEqual(found[1]["inputs"], [self.path("in.jsonl")])
        self.assertEqual(found[1]["verified"], {"bytes": 16, "blocks": 1, "largest_token": ord("t")})

    def test_verify_finds_a_changed_token(self):
        shard = self.import_shard(["x" * 10000])
        with open(shard, "r+b") as file:
            file.seek(-3000, os.SEEK_END)
            file.write(b"!")

        self.assertEqual(run(shard).returncode, 0)
        result = run("--verify", shard)

        self.assertEqual(result.returncode, DATA_ERROR)
        self.assertRegex(result.stderr, r"^stowage: \S+shard.h5: block \d+ \(\d+ bytes at offset \d+\): expected "
                         r"checksum [0-9a-f]{16}, found [0-9a-f]{16}; the file is damaged\n$")

    def test_a_damaged_header_gives_one_line(self):
        shard = self.import_shard(["x"])
        with open(shard, "r+b") as file:
            file.seek(60)
            byte = file.read(1)
            file.seek(60)
            file.write(bytes([byte[0] ^ 1]))

        result = run(shard)

        self.assertEqual(result.returncode, DATA_ERROR)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_a_bad_path_does_not_hide_the_others(self):
        pair = self.write_pair("pair", [[1]])

        result = run(self.path("none"), pair)
        found = json.loads(run("--json", self.path("none"), pair).stdout)

        self.assertEqual(result.returncode, IO_ERROR)
        self.assertEqual(result.stderr, f"stowage: cannot open {self.path('none.idx')}: No such file or directory\n")
        self.assertIn(f"cannot open {self.path('none.h5')}: ", run(self.path("none.h5")).stderr)
        self.assertIn("Megatron pair", result.stdout)
        self.assertEqual(found[0]["status"], IO_ERROR)
        self.assertEqual(found[1]["tokens"], 1)

    def test_a_file_of_another_kind_is_told(self):
        with open(self.path("notes.txt"), "w", encoding="utf-8") as file:
            file.write("neither")

        result = run(self.path("notes.txt"))

        self.assertEqual(result.returncode, DATA_ERROR)
        self.assertIn("expected an HDF5 file or a Megatron pair, found neither the HDF5 signature nor", result.stderr)


if __name__ == "__main__":
    unittest.main()
