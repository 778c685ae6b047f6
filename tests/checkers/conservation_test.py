#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The conservation checker finds every kind of violation and nothing in a sound record."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import conservation

HEADER = "# step replica micro_batch source_index sequence epoch piece begin tokens"
EPOCHS = 3
LENGTHS = {(0, 0): [5], (0, 1): [0], (0, 2): [8, 8, 3], (1, 0): [7]}  # pieces of each sequence
COUNTS = "0 3\n1 1\n2 0\n"


def sound_record():
    lines = []
    for epoch in range(EPOCHS):
        for (source, sequence), pieces in LENGTHS.items():
            for piece, tokens in enumerate(pieces):
                step, replica = len(lines) // 2, len(lines) % 2
                lines.append([step, replica, 0, source, sequence, epoch, piece, sum(pieces[:piece]), tokens])
    return lines


class Conservation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(self.folder.cleanup)
        self.lines = sound_record()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, *options, counts=COUNTS, header=HEADER, suffix=""):
        """Exit status and output for self.lines."""
        text = "".join(" ".join(map(str, line)) + suffix + "\n" for line in self.lines)
        arguments = [self.write("record", header + "\n" + text), self.write("counts", counts), "--epochs", str(EPOCHS)]
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = conservation.main(arguments + list(options))
        return status, output.getvalue()

    def expect_violation(self, text, *options):
        status, output = self.check(*options)
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def index(self, source, sequence, epoch, piece=0):
        return next(i for i, line in enumerate(self.lines) if line[3:7] == [source, sequence, epoch, piece])

    def test_a_sound_record_passes(self):
        self.assertEqual(self.check(), (0, "4 sequences of 3 sources, each delivered once in each of 3 epochs\n"))

    def test_the_order_of_lines_and_their_token_ids_do_not_matter(self):
        self.lines.reverse()

        status, output = self.check(suffix=" : 7 8 9")

        self.assertEqual(status, 0, output)

    def test_a_lost_segment_is_found(self):
        del self.lines[self.index(1, 0, 2)]

        self.expect_violation("source 1 sequence 0 epoch 2: lost")

    def test_a_lost_segment_without_tokens_is_found(self):
        del self.lines[self.index(0, 1, 0)]

        self.expect_violation("source 0 sequence 1 epoch 0: lost")

    def test_a_lost_piece_in_the_middle_is_found(self):
        del self.lines[self.index(0, 2, 1, piece=1)]

        self.expect_violation("source 0 sequence 2 epoch 1: piece 1 is lost")

    def test_a_lost_last_piece_is_found_by_the_other_epochs(self):
        del self.lines[self.index(0, 2, 1, piece=2)]

        self.expect_violation("source 0 sequence 2 epoch 1: 16 tokens delivered instead of 19")

    def test_a_last_piece_lost_in_every_epoch_is_found_by_the_lengths(self):
        for epoch in range(EPOCHS):
            del self.lines[self.index(0, 2, epoch, piece=2)]
        lengths = self.write("lengths", "".join(f"{source} {sequence} {sum(pieces)}\n"
                                                for (source, sequence), pieces in LENGTHS.items()))

        self.assertEqual(self.check()[0], 0)
        self.expect_violation("source 0 sequence 2 epoch 0: 16 tokens delivered instead of 19", "--lengths", lengths)

    def test_a_duplicated_segment_is_found(self):
        self.lines.append(self.lines[self.index(0, 0, 1)])

        self.expect_violation(f"source 0 sequence 0 epoch 1: piece 0 delivered again in line {len(self.lines) + 1}")

    def test_a_segment_moved_within_its_sequence_is_found(self):
        self.lines[self.index(0, 2, 0, piece=1)][7] = 9

        self.expect_violation("source 0 sequence 2 epoch 0: piece 1 begins at 9 instead of 8")

    def test_a_segment_moved_to_another_epoch_is_found(self):
        self.lines[self.index(1, 0, 0)][5] = 1

        status, output = self.check()

        self.assertEqual(status, 1)
        self.assertIn("source 1 sequence 0 epoch 0: lost", output)
        self.assertIn("source 1 sequence 0 epoch 1: piece 0 delivered again", output)

    def test_segments_of_nothing_that_exists_are_found(self):
        for source, sequence, epoch in ((0, 3, 0), (2, 0, 0), (9, 0, 0), (0, 0, EPOCHS)):
            self.lines = sound_record() + [[9, 0, 0, source, sequence, epoch, 0, 0, 5]]
            self.expect_violation(f"source {source} sequence {sequence} epoch {epoch}: delivered in line")

    def test_an_empty_piece_of_a_split_sequence_is_found(self):
        self.lines.append([9, 0, 0, 0, 0, 0, 1, 5, 0])

        self.expect_violation("source 0 sequence 0 epoch 0: piece 1 of several is empty")

    def test_an_empty_record_is_all_lost(self):
        self.lines = []

        self.expect_violation("12 violations")

    def test_only_the_first_violations_are_printed(self):
        self.lines = []

        _, output = self.check("--show", "2")

        self.assertEqual(output.count("\n"), 3)

    def test_input_that_is_no_record_is_refused(self):
        self.lines[1] = [1, 2, 3]
        status, output = self.check()

        self.assertEqual(status, 2)
        self.assertIn(":3: expected 9 numbers, found '1 2 3'", output)
        self.assertEqual(self.check(counts="0 three\n")[0], 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
