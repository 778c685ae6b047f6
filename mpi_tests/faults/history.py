# SPDX-License-Identifier: Apache-2.0
"""What trainers received, and whether it is what they should have received. Knows nothing of how the runs were made.

A history is a folder of files, one a trainer rank, as `stowage trainer --record-history` appends to them while it runs:
lines 'step replica digest wait_ms seconds' (seconds of CLOCK_MONOTONIC when the wait for the step ended).
"""

import dataclasses
import math
import pathlib


@dataclasses.dataclass(frozen=True)
class Line:
    step: int
    replica: int
    digest: str
    wait_ms: float
    seconds: float


@dataclasses.dataclass(frozen=True)
class Difference:
    """Deliveries of single steps to single trainers that are not as they should be."""
    lost: int = 0
    duplicated: int = 0
    different: int = 0
    first: str = ""  # one of them in words


def parse(text):
    """The lines of one trainer. A last line without its end is of a trainer that was killed while writing: not counted."""
    lines = []
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        step, replica, digest, wait_ms, seconds = line.split()
        lines.append(Line(int(step), int(replica), digest, float(wait_ms), float(seconds)))
    return lines


def read(folder):
    """{trainer rank: its lines}"""
    return {int(path.suffix[1:]): parse(path.read_text()) for path in pathlib.Path(folder).glob("history.*")}


def compare(expected, found):
    """Both {rank: lines}. A step that comes twice is a duplicate; one that is not the expected one, or comes after a later
    one, is different; one that never comes is lost."""
    lost = duplicated = different = 0
    words = []
    for rank in sorted(expected.keys() | found.keys()):
        wanted = {(line.step, line.replica): line.digest for line in expected.get(rank, [])}
        came = set()
        last = -1
        for line in found.get(rank, []):
            place = (line.step, line.replica)
            what = f"trainer {rank}, step {line.step}, replica {line.replica}"
            if place in came:
                duplicated += 1
                words.append(f"{what}: came again")
                continue
            came.add(place)
            if wanted.get(place) != line.digest or line.step < last:
                different += 1
                words.append(f"{what}: {line.digest} after step {last}, expected {wanted.get(place)}")
            last = max(last, line.step)
        absent = sorted(wanted.keys() - came)
        lost += len(absent)
        words += [f"trainer {rank}, step {step}, replica {replica}: never came" for step, replica in absent[:1]]
    return Difference(lost, duplicated, different, words[0] if words else "")


def first_step(found):
    """The step that a run began or went on with; infinite if there was none left."""
    return min((lines[0].step for lines in found.values() if lines), default=math.inf)


def joined(before, after, step):
    """What trainers hold of a run that ended and went on with `step`: the state after the last step before it is what the
    first part left, and the rest is the second part."""
    return {rank: [line for line in before.get(rank, []) if line.step < step] + after.get(rank, [])
            for rank in before.keys() | after.keys()}


def wrong_lines(expected, found):
    """How many lines are not among the expected ones. Lines may be absent."""
    wanted = {(rank, line.step, line.replica, line.digest) for rank, lines in expected.items() for line in lines}
    return sum((rank, line.step, line.replica, line.digest) not in wanted for rank, lines in found.items()
               for line in lines)


def longest_wait_ms(found, since):
    """Of all waits of all trainers that ended after `since`; None if there was none."""
    return max((line.wait_ms for lines in found.values() for line in lines if line.seconds >= since), default=None)


def span(found):
    """Seconds of the first and the last delivery."""
    seconds = [line.seconds for lines in found.values() for line in lines]
    return min(seconds), max(seconds)
