#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks in a record of delivered segments that every sequence was delivered exactly once in each epoch.

The record (stowage trainer --record) has a line for each segment,
    step replica micro_batch source_index sequence epoch piece begin tokens [: token ids]
and lines that begin with '#' are comments. COUNTS has a line 'source_index sequences' for each source. Sequences
0 ... sequences - 1 of each source must be there in epochs 0 ... EPOCHS - 1 and no others; the pieces of one delivery
must be 0, 1, 2, ..., each beginning where the one before ended, and add up to the length of the sequence. Lengths come
from LENGTHS, lines 'source_index sequence tokens'; without it they need only be the same in all epochs.

Shares nothing with the library. Exit status: 0 all is well, 1 violations (the first are printed), 2 unusable input.
"""
import argparse
import collections
import sys

Segment = collections.namedtuple("Segment", "line piece begin tokens")
FIELDS = 9


class UnusableInput(Exception):
    pass


def numbered_integers(path, fields):
    """The line number and the first `fields` integers of every line."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split(":")[0].split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != fields or not all(word.isdecimal() for word in words):
                raise UnusableInput(f"{path}:{number}: expected {fields} numbers, found '{line.strip()[:80]}'")
            yield number, [int(word) for word in words]


def read_record(path):
    """Delivered segments by (source, sequence, epoch)."""
    deliveries = collections.defaultdict(list)
    for number, values in numbered_integers(path, FIELDS):
        source, sequence, epoch, piece, begin, tokens = values[3:]
        deliveries[source, sequence, epoch].append(Segment(number, piece, begin, tokens))
    return deliveries


def problems_of_delivery(segments):
    """What is wrong with the pieces of one delivery of one sequence."""
    expected_begin = 0
    for expected_piece, segment in enumerate(sorted(segments, key=lambda s: (s.piece, s.line))):
        if segment.piece < expected_piece:
            yield f"piece {segment.piece} delivered again in line {segment.line}"
            return
        if segment.piece > expected_piece:
            yield f"piece {expected_piece} is lost before line {segment.line}"
            return
        if segment.begin != expected_begin:
            yield f"piece {segment.piece} begins at {segment.begin} instead of {expected_begin} in line {segment.line}"
            return
        if segment.tokens == 0 and len(segments) > 1:
            yield f"piece {segment.piece} of several is empty in line {segment.line}"
        expected_begin += segment.tokens


def violations(deliveries, counts, epochs, lengths):
    lengths = dict(lengths)
    for source, count in sorted(counts.items()):
        for sequence in range(count):
            for epoch in range(epochs):
                name = f"source {source} sequence {sequence} epoch {epoch}"
                segments = deliveries.get((source, sequence, epoch))
                if segments is None:
                    yield f"{name}: lost"
                    continue
                problems = list(problems_of_delivery(segments))
                yield from (f"{name}: {problem}" for problem in problems)
                if problems:
                    continue
                tokens = sum(segment.tokens for segment in segments)
                expected = lengths.setdefault((source, sequence), tokens)
                if tokens != expected:
                    yield f"{name}: {tokens} tokens delivered instead of {expected}, line {segments[-1].line}"
    for (source, sequence, epoch), segments in sorted(deliveries.items()):
        if sequence >= counts.get(source, 0) or epoch >= epochs:
            yield (f"source {source} sequence {sequence} epoch {epoch}: delivered in line {segments[0].line}, "
                   f"but there is no such sequence or epoch")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("counts")
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--lengths")
    parser.add_argument("--show", type=int, default=10, help="violations to print (default %(default)s)")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        deliveries = read_record(options.record)
        counts = {source: count for _, (source, count) in numbered_integers(options.counts, 2)}
        lengths = {}
        if options.lengths:
            lengths = {(source, sequence): tokens
                       for _, (source, sequence, tokens) in numbered_integers(options.lengths, 3)}
    except (OSError, UnusableInput) as error:
        print(f"conservation: {error}", file=sys.stderr)
        return 2
    found = list(violations(deliveries, counts, options.epochs, lengths))
    for violation in found[:options.show]:
        print(violation)
    if found:
        print(f"{len(found)} violations in {options.record}")
        return 1
    print(f"{sum(counts.values())} sequences of {len(counts)} sources, "
          f"each delivered once in each of {options.epochs} epochs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
