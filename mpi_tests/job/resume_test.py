#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that goes on: on another number of replicas, under other weights, with a source more; and what is refused, by
name."""

import collections
import unittest

import jobs

SOURCES = {"a": 40, "b": 30, "c": 25}
BATCH, EPOCHS = 7, 2

CONFIG = """
seed: {seed}
data_parallel: {replicas}
{length}
batch: {{sequences: {batch}}}
micro_batch: {{tokens: 96}}
over_long: split
cost: {{linear: 1, quadratic: 1}}
defer: {{steps: {defer}}}
checkpoint: {{directory: saved}}
sources:
{sources}
"""


class ResumeTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        for number, (name, count) in enumerate(SOURCES.items()):
            jobs.write_megatron(self.folder / name, [jobs.tokens_of(number, i % 37) for i in range(count)])
        self.saved = self.folder / "saved"

    def config(self, weights=None, replicas=4, seed=5, defer=0, length=f"epochs: {EPOCHS}", batch=BATCH, extra=""):
        weights = weights or {"a": 1, "b": 1}
        lines = [f"  - {{name: {name}, format: megatron, path: {name}, weight: {weight}{extra}}}"
                 for name, weight in weights.items()]
        return self.write(f"{len(list(self.folder.iterdir()))}.yaml",
                          CONFIG.format(seed=seed, replicas=replicas, length=length, batch=batch, defer=defer,
                                        sources="\n".join(lines)))

    def digests(self, *words):
        return self.run_ok(*jobs.stowage("digest", *words)).stdout

    def save(self, config, steps, *words):
        return self.digests(config, "--steps", steps, "--save-checkpoint", self.saved, *words)

    def record(self, config, replicas, *words):
        """By step: how often each (source, sequence, epoch, piece) came, to all replicas together."""
        steps = collections.defaultdict(collections.Counter)
        for replica in range(replicas):
            record = self.folder / "record"
            self.run_ok(*jobs.stowage("trainer", "--embedded", config, "--replica", replica, "--record", record, *words))
            for line in record.read_text().splitlines()[1:]:
                step, _, _, source, sequence, epoch, piece, *_ = map(int, line.split())
                steps[step][source, sequence, epoch, piece] += 1
        return steps

    def refusal(self, *words):
        done = jobs.run(*jobs.stowage("digest", *words))
        self.assertEqual(done.returncode, 3, done.stderr)
        return done.stderr

    def test_another_number_of_replicas_gets_the_same_drawn_order(self):
        four, two, eight = (self.config(replicas=replicas, batch=8) for replicas in (4, 2, 8))
        whole = self.record(four, 4)

        parts = dict(self.record(four, 4, "--max-steps", 6))
        self.save(four, 6)
        parts |= self.record(two, 2, "--max-steps", 5)
        self.save(two, 5, "--from-checkpoint", self.saved)
        self.assertEqual(sorted(parts), list(range(11)))
        parts |= self.record(eight, 8)

        self.assertEqual(parts, dict(whole))

    def check_every_epoch_is_whole(self, parts, sources):
        seen = collections.Counter()
        for step in parts.values():
            seen += step
        expected = {(place, sequence, epoch, 0) for place, name in enumerate(sources)
                    for sequence in range(SOURCES[name]) for epoch in range(EPOCHS)}
        self.assertEqual(set(seen), expected)
        self.assertEqual(set(seen.values()), {1})

    def test_changed_weights_neither_skip_nor_repeat(self):
        for defer in (0, 3):
            for steps in (0, 3, 11):
                with self.subTest(defer=defer, steps=steps):
                    before, after = (self.config(weights, 1, defer=defer) for weights in ({"a": 1, "b": 1}, {"a": 5, "b": 1}))
                    unchanged = self.record(before, 1)

                    parts = dict(self.record(before, 1, "--resume-step", 0, "--max-steps", steps)) if steps else {}
                    self.save(before, steps)
                    parts |= self.record(after, 1)

                    self.check_every_epoch_is_whole(parts, ["a", "b"])
                    self.assertNotEqual(parts, dict(unchanged))
                    self.remove_saved()

    def remove_saved(self):
        for file in self.saved.iterdir():
            file.unlink()

    def test_an_added_source_joins_and_a_disabled_one_leaves(self):
        two, three = self.config({"a": 1, "b": 1}, 1), self.config({"c": 2, "a": 1, "b": 1}, 1)
        parts = {step: collections.Counter({(source + 1, *rest): n for (source, *rest), n in counts.items()})
                 for step, counts in self.record(two, 1, "--max-steps", 4).items()}
        self.save(two, 4)

        parts |= self.record(three, 1)

        self.check_every_epoch_is_whole(parts, ["c", "a", "b"])
        self.save(three, 3, "--from-checkpoint", self.saved)
        without = self.record(self.config({"c": 2, "a": 1, "b": 0}, 1), 1)
        self.assertEqual(min(without), 7)
        self.assertEqual({source for counts in without.values() for source, *_ in counts}, {0, 1})

    def test_any_step_is_reached_from_a_checkpoint_before_it(self):
        config = self.config(defer=3)
        whole = self.digests(config).splitlines()
        self.save(config, 3)

        for step in (3, 4, 9, 19):
            found = self.digests(config, "--from-checkpoint", self.saved, "--step", step).splitlines()

            self.assertEqual(found, [line for line in whole if int(line.split()[0]) >= step])

    def test_a_step_before_all_checkpoints_or_after_the_end_is_refused(self):
        config = self.config()
        self.save(config, 3)

        done = jobs.run(*jobs.stowage("digest", config, "--from-checkpoint", self.saved, "--step", 2))
        self.assertEqual(done.returncode, 2)
        self.assertIn("found none", self.refusal(config, "--from-checkpoint", self.folder / "nowhere", "--step", 2))
        self.assertIn("the run has 20 steps, so it cannot go on from step 21",
                      self.refusal(config, "--from-checkpoint", self.saved, "--step", 21))

    def test_what_would_be_another_stream_is_refused_with_every_difference(self):
        self.save(self.config(), 3)
        jobs.write_megatron(self.folder / "b", [jobs.tokens_of(1, i % 36) for i in range(31)])
        other = self.config({"a": 1, "b": 2}, seed=6, extra=", order: sequential")

        message = self.refusal(other, "--from-checkpoint", self.saved)

        for text in ("cannot go on from step 3", "seed: 5 in the checkpoint, 6 now",
                     "sources.a.order: shuffled in the checkpoint, sequential now",
                     "sources.b: 30 sequences of", "sources.b: index (lengths of all sequences)", "b.bin: ",
                     "--accept-changes"):
            self.assertIn(text, message)
        self.assertNotIn("sources.b.weight", message)  # that alone would be allowed
        accepted = self.digests(other, "--from-checkpoint", self.saved, "--accept-changes", "--steps", 1)
        self.assertEqual(len(accepted.splitlines()), 4)

    def test_a_source_that_is_gone_is_refused_even_then(self):
        self.save(self.config({"a": 1, "b": 1, "c": 1}), 3)
        config = self.config({"a": 1, "b": 1})

        self.assertIn("sources.c: present in the checkpoint, absent now", self.refusal(config, "--from-checkpoint", self.saved))
        self.assertIn("keep it there with weight 0",
                      self.refusal(config, "--from-checkpoint", self.saved, "--accept-changes"))

    def test_what_is_saved_right_after_going_on_is_what_was_saved(self):
        config = self.config(defer=3)
        self.save(config, 5)
        again = self.folder / "again"

        self.digests(config, "--from-checkpoint", self.saved, "--steps", 0, "--save-checkpoint", again)

        first, second = ([file.read_bytes() for file in sorted(folder.glob("ckpt-*"))] for folder in (self.saved, again))
        self.assertEqual(len(first), 1)
        self.assertEqual(first, second)

    def test_an_embedded_trainer_saves_and_goes_on(self):
        config = self.config()
        whole = self.digests(config)
        first, second = self.folder / "first", self.folder / "second"

        self.run_ok(*jobs.stowage("trainer", "--embedded", config, "--max-steps", 9, "--save-every", 4,
                                  "--record-digests", first))
        self.run_ok(*jobs.stowage("trainer", "--embedded", config, "--resume-step", 9, "--record-digests", second))

        self.assertTrue(list(self.saved.glob("ckpt-*-step-8.*")))
        expected = [line for line in whole.splitlines() if line.split()[1] == "0"]
        self.assertEqual(first.read_text().splitlines() + second.read_text().splitlines(), expected)


if __name__ == "__main__":
    unittest.main()
