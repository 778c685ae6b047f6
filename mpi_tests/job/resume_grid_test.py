#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Continued = uninterrupted, by digest, over a grid: saved after {0, 1, 7, end of an epoch - 1, end, + 1, in the third
epoch} steps, saved again {0, 2} steps after going on, by {1, 2, 3, 5} ranks and then by {1, 2, 3, 5}, of both formats, with
deferral on and off: 896 cases. Tries a sample that is drawn anew each time, or all with --all; --seed repeats a sample."""

import argparse
import itertools
import random
import shutil
import sys
import unittest

import jobs

SEQUENCES, BATCH, EPOCHS = 66, 6, 3
EPOCH = SEQUENCES // BATCH  # steps
SAVES = (0, 1, 7, EPOCH - 1, EPOCH, EPOCH + 1, 2 * EPOCH + 4)
AGAIN = (0, 2)
RANKS = (1, 2, 3, 5)
FORMATS = ("megatron", "hdf5")
DEFERRAL = (0, 3)

CONFIG = """
seed: 5
data_parallel: 3
epochs: {epochs}
batch: {{sequences: {batch}}}
micro_batch: {{tokens: 96, pad_segments_to: 4}}
over_long: split
cost: {{linear: 1, quadratic: 1}}
defer: {{steps: {defer}}}
sources:
  - {{name: a, format: {format}, path: a.{format}}}
  - {{name: b, format: {format}, path: b.{format}}}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--all", action="store_true")
parser.add_argument("--sample", type=int, default=24)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))


class ResumeGrid(jobs.JobTest):
    def setUp(self):
        super().setUp()
        for name, count, longest in (("a", 46, 190), ("b", 20, 60)):
            texts = ["x" * (longest - i if i % 9 == 0 else i % 31) for i in range(count)]
            jsonl = self.write(f"{name}.jsonl", "".join('{"text": "%s"}\n' % text for text in texts))
            self.run_ok(*jobs.stowage("import", jsonl, "-o", self.folder / f"{name}.hdf5", "--format", "hdf5"))
            jobs.write_megatron(self.folder / f"{name}.megatron", [list(text.encode()) for text in texts])
        self.configs = {
            (form, defer): self.write(f"{form}-{defer}.yaml",
                                      CONFIG.format(epochs=EPOCHS, batch=BATCH, defer=defer, format=form))
            for form, defer in itertools.product(FORMATS, DEFERRAL)}
        self.whole = {key: self.digests(1, config) for key, config in self.configs.items()}
        self.saved = {}

    def digests(self, ranks, *words):
        command = jobs.stowage("digest", *words) if ranks == 1 else jobs.mpirun(ranks, "digest", *words)
        return self.run_ok(*command).stdout

    def save(self, key, steps, ranks):
        """The stream up to there, and a folder with its checkpoint; made once."""
        case = (key, steps, ranks)
        if case not in self.saved:
            folder = self.folder / f"saved-{len(self.saved)}"
            text = self.digests(ranks, self.configs[key], "--steps", steps, "--save-checkpoint", folder)
            self.saved[case] = text, folder
        return self.saved[case]

    def check(self, form, defer, steps, again, before, after):
        key = (form, defer)
        first, folder = self.save(key, steps, before)
        second_folder = self.folder / "again"

        second = self.digests(after, self.configs[key], "--from-checkpoint", folder, "--steps", again,
                              "--save-checkpoint", second_folder)
        third = self.digests(after, self.configs[key], "--from-checkpoint", second_folder)

        self.assertEqual(first + second + third, self.whole[key])
        shutil.rmtree(second_folder)

    def test_continued_is_uninterrupted(self):
        self.assertEqual(len(self.whole[FORMATS[0], 0].splitlines()), EPOCHS * EPOCH * 3)
        self.assertNotEqual(self.whole[FORMATS[0], 0], self.whole[FORMATS[0], DEFERRAL[1]])
        self.assertEqual(self.whole["megatron", 0], self.whole["hdf5", 0])
        cases = list(itertools.product(FORMATS, DEFERRAL, SAVES, AGAIN, RANKS, RANKS))
        if not options.all:
            cases = random.Random(options.seed).sample(cases, options.sample)
        print(f"{len(cases)} cases, seed {options.seed}", flush=True)
        for case in cases:
            with self.subTest(case=case, seed=options.seed):
                self.check(*case)


if __name__ == "__main__":
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
