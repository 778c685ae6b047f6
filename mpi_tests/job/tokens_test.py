#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every token of real Megatron pairs arrives as an independent reader finds it in the file."""

import unittest

import jobs

PAIRS = [
    "meg-gpt2-openwebtext_text_document",         # u16
    "ag_news_prompt_inputs_document",             # i32
    "ag_news_prompt_targets_document",
    "nvidia_fim_text_document",
    "megatron2_my-bert_text_sentence",            # sentence level: several sequences a document
    "megatron2_test_samples_mmap_text_sentence",
]


class TokensTest(jobs.JobTest):
    def check(self, pair, io, loaders):
        path = self.real_data(f"binidx/{pair}.idx").with_suffix("")
        config = self.write(f"{pair}-{io}.yaml", f"""
seed: 3
data_parallel: 2
epochs: 1
batch: {{sequences: 32}}
micro_batch: {{tokens: 4096}}
over_long: split
io: {io}
sources: [{{name: source, format: megatron, path: {path}}}]
""")
        record = self.folder / "record"

        self.run_ok(*jobs.job(config, 2, loaders, ["--record", record, "--record-tokens"]))

        delivered = {}
        for line in record.read_text().splitlines()[1:]:
            place, ids = line.split(" :") if " :" in line else (line, "")
            _, _, _, _, sequence, _, _, begin, tokens = map(int, place.split())
            self.assertEqual(len(ids.split()), tokens)
            delivered.setdefault(sequence, {})[begin] = list(map(int, ids.split()))
        found = [sum((pieces for _, pieces in sorted(delivered[s].items())), []) for s in sorted(delivered)]
        self.assertEqual(found, [list(tokens) for tokens in jobs.read_megatron(path)])

    def test_every_token_arrives(self):
        for pair in PAIRS:
            with self.subTest(pair=pair):
                self.check(pair, "cooperative", 2)

    def test_every_token_arrives_by_collective_reading(self):
        self.check(PAIRS[0], "collective", 3)


if __name__ == "__main__":
    unittest.main()
