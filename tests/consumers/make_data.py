#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_data.py FOLDER: a tiny Megatron pair, a configuration that reads it for three epochs, and the line that a
consumer must print: steps, sequences, tokens, sum of token ids."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from megatron import write_pair

EPOCHS, BATCH = 3, 4
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
sequences = [[100 * n + i for i in range(n % 7)] for n in range(1, 30)]  # some of them empty

write_pair(folder / "tiny", sequences)
(folder / "tiny.yaml").write_text(f"""\
epochs: {EPOCHS}
batch: {{sequences: {BATCH}}}
micro_batch: {{tokens: 16, pad_segments_to: 4}}
sources:
  - {{name: tiny, format: megatron, path: tiny}}
""")
sequence_count = EPOCHS * len(sequences)
tokens = EPOCHS * sum(map(len, sequences))
ids = EPOCHS * sum(map(sum, sequences))
(folder / "expected").write_text(f"{-(-sequence_count // BATCH)} {sequence_count} {tokens} {ids}\n")
