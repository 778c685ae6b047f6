#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stream is a function: its digests do not depend on how many ranks or threads make it, nor on the way of I/O."""

import unittest

import jobs


CONFIG = """
seed: 11
data_parallel: 3
steps: 12
batch: {{{batch}}}
micro_batch: {{tokens: 96, pad_segments_to: 4{micro}}}
over_long: split
io: {io}
sources:
  - {{name: long, format: hdf5, path: long.h5, weight: 2}}
  - {{name: short, format: megatron, path: short, weight: 5}}
  - {{name: one, format: megatron, path: one, weight: 1}}
  - {{name: sequential, format: megatron, path: short, weight: 1, order: sequential}}
"""


class DigestTest(jobs.JobTest):
    def setUp(self):
        super().setUp()
        text = "".join('{"text": "%s"}\n' % ("long text %d " % i * (i % 40)) for i in range(120))
        self.write("long.jsonl", text)
        self.run_ok(*jobs.stowage("import", self.folder / "long.jsonl", "-o", self.folder / "long.h5"))
        jobs.write_megatron(self.folder / "short", [jobs.tokens_of(1, i % 23, i) for i in range(57)])
        jobs.write_megatron(self.folder / "one", [jobs.tokens_of(2, 7)])

    def config(self, io="cooperative", batch="sequences: 16", micro=""):
        name = f"{io}-{batch}{micro}.yaml".translate(str.maketrans(" :,", "---"))
        return self.write(name, CONFIG.format(io=io, batch=batch, micro=micro))

    def digests(self, *command, threads=1):
        return self.run_ok(*command, threads=threads).stdout

    def test_digests_are_the_same_for_any_number_of_ranks_and_threads(self):
        for batch, micro in [("sequences: 16", ""), ("tokens: 700", ", pad_to_cap: true"),
                             ("sequences: 7", ", equal_counts: false")]:
            config = self.config(batch=batch, micro=micro)

            alone = self.digests(*jobs.stowage("digest", config, "--steps", 9))

            self.assertEqual(len(alone.splitlines()), 9 * 3)
            for ranks, threads in [(1, 1), (2, 2), (3, 1), (5, 2), (8, 1)]:
                found = self.digests(*jobs.mpirun(ranks, "digest", config, "--steps", 9), threads=threads)
                self.assertEqual(found, alone, f"{batch}, {ranks} ranks, {threads} threads")

    def test_collective_and_cooperative_reading_give_the_same_stream(self):
        alone = self.digests(*jobs.stowage("digest", self.config()))

        for ranks in (1, 2, 3, 5):
            found = self.digests(*jobs.mpirun(ranks, "digest", self.config(io="collective")))

            self.assertEqual(found, alone, f"{ranks} ranks")

    def test_trainers_record_what_digest_foretells(self):
        config = self.config()
        foretold = self.digests(*jobs.stowage("digest", config))

        for loaders in (1, 2, 5):
            record = self.folder / f"record-{loaders}"
            self.run_ok(*jobs.job(config, 3, loaders, ["--record-digests", record]))

            self.assertEqual(record.read_text(), foretold, f"{loaders} loaders")

    def test_embedded_trainers_get_the_same_stream(self):
        config = self.config()
        foretold = self.digests(*jobs.stowage("digest", config)).splitlines()

        for replica in range(3):
            record = self.folder / f"embedded-{replica}"
            self.run_ok(*jobs.stowage("trainer", "--embedded", config, "--replica", replica, "--record-digests", record))

            expected = [line for line in foretold if line.split()[1] == str(replica)]
            self.assertEqual(record.read_text().splitlines(), expected)

    def test_two_trainers_of_one_replica_get_the_same(self):
        config = self.config()
        foretold = self.digests(*jobs.stowage("digest", config))
        one = lambda rank: ["-n", 1, jobs.STOWAGE, "trainer", "--replica", rank % 3, "--record-digests", self.folder / "r"]
        command = ["mpirun", "--oversubscribe"]
        for rank in range(6):
            command += one(rank) + [":"]

        self.run_ok(*command, "-n", 2, jobs.STOWAGE, "serve", config, "--quiet")

        self.assertEqual((self.folder / "r").read_text(), foretold)

    def test_another_seed_gives_another_stream(self):
        config = self.config()
        other = self.write("other.yaml", config.read_text().replace("seed: 11", "seed: 12"))

        first, second = (self.digests(*jobs.stowage("digest", path, "--steps", 1)) for path in (config, other))

        self.assertNotEqual(first, second)


if __name__ == "__main__":
    unittest.main()
