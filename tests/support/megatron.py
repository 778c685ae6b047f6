# SPDX-License-Identifier: Apache-2.0
"""Megatron pairs written without the library: plain ones, and ones broken on purpose."""
import struct

CODE = {"B": 1, "h": 3, "i": 4, "q": 5, "H": 8}  # struct's letter: the index's token type


def write_pair(prefix, sequences, letter="H", documents=None):
    """PREFIX.bin and PREFIX.idx of the sequences, lists of token ids. documents: the first sequence of each, and at the
    end the number of sequences; by default every sequence is a document."""
    lengths = [len(sequence) for sequence in sequences]
    offsets = [struct.calcsize(letter) * sum(lengths[:n]) for n in range(len(lengths))]
    documents = list(range(len(lengths) + 1)) if documents is None else documents
    with open(f"{prefix}.bin", "wb") as file:
        for sequence in sequences:
            file.write(struct.pack(f"<{len(sequence)}{letter}", *sequence))
    with open(f"{prefix}.idx", "wb") as file:
        file.write(b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, CODE[letter], len(lengths), len(documents)))
        file.write(struct.pack(f"<{len(lengths)}i", *lengths))
        file.write(struct.pack(f"<{len(offsets)}q", *offsets))
        file.write(struct.pack(f"<{len(documents)}q", *documents))
