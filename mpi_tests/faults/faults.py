# SPDX-License-Identifier: Apache-2.0
"""Which faults there are, drawn from a seed: the same seed and index give the same fault on every machine."""

import dataclasses
import random

KINDS = ("kill", "stop", "pause")  # SIGKILL; SIGSTOP; SIGSTOP and after a while SIGCONT
POINTS = ("all_to_all_1", "planning", "reading", "all_to_all_2", "delivering", "writing_checkpoint", "taking_over")
MOMENT = "moment"  # a fault at any time instead of a named point
TRAINERS = 4


@dataclasses.dataclass(frozen=True)
class Layout:
    loaders: int
    shadows: int
    transport: str  # of MPI: shm, tcp
    delivery: str  # auto, messages

    def ranks(self):
        """The job's ranks of loaders and shadows."""
        return range(TRAINERS, TRAINERS + self.loaders + self.shadows)

    def __str__(self):
        return f"{self.loaders}+{self.shadows} {self.transport} {self.delivery}"


@dataclasses.dataclass(frozen=True)
class Fault:
    index: int
    attempt: int
    layout: Layout
    kind: str
    rank: int
    point: str  # of POINTS, or MOMENT
    nth: int  # passage of the point
    moment: float  # share of the undisturbed run's length
    pause: float  # seconds from SIGSTOP to SIGCONT
    first_rank: int | None = None  # whose death makes the others take over, where that is the point

    def __str__(self):
        where = f"at {self.moment:.3f} of the run" if self.point == MOMENT else f"at {self.point} number {self.nth}"
        pause = f" for {self.pause:.2f} s" if self.kind == "pause" else ""
        first = f" after rank {self.first_rank} was killed" if self.first_rank is not None else ""
        return f"fault {self.index}.{self.attempt}: {self.layout}, {self.kind}{pause} rank {self.rank} {where}{first}"

    def environment(self):
        """The values of STOWAGE_FAULT that make it happen at its point."""
        if self.point == MOMENT:
            return ""
        own = f"{self.rank}:{self.point}:{self.nth}:{'KILL' if self.kind == 'kill' else 'STOP'}"
        return own if self.first_rank is None else f"{self.first_rank}:planning:{self.nth_of_first()}:KILL,{own}"

    def nth_of_first(self):
        return 1 + int(self.moment * 100)


@dataclasses.dataclass(frozen=True)
class Choice:
    """What may be drawn."""
    loaders: tuple = (2, 3, 4)
    shadows: tuple = (1, 2)
    transports: tuple = ("shm", "tcp")
    deliveries: tuple = ("auto", "messages")
    kinds: tuple = KINDS
    points: tuple = POINTS


def draw(seed, index, attempt, choice):
    """A fault. `attempt` counts draws in place of ones whose point was never passed. Half of all faults come at any
    moment, the others at a point."""
    random_source = random.Random(f"{seed}/{index}/{attempt}")
    layout = Layout(random_source.choice(choice.loaders), random_source.choice(choice.shadows),
                    random_source.choice(choice.transports), random_source.choice(choice.deliveries))
    kind = random_source.choice(choice.kinds)
    at_point = bool(choice.points) and random_source.random() < 0.5
    point = random_source.choice(choice.points) if at_point else MOMENT
    rank = random_source.choice(list(layout.ranks()))
    nth = {"taking_over": 1, "writing_checkpoint": random_source.randint(1, 40)}.get(point, random_source.randint(1, 100))
    moment = random_source.random()
    pause = random_source.uniform(0.05, 2.5)
    first_rank = None
    if point == "writing_checkpoint":
        rank = TRAINERS  # the one that writes
    if point == "taking_over":
        first_rank = random_source.choice([other for other in layout.ranks()[:layout.loaders] if other != rank])
    return Fault(index, attempt, layout, kind, rank, point, nth, moment, pause, first_rank)
