# SPDX-License-Identifier: Apache-2.0
"""What came of faults, in words and numbers."""

import math

import history


class Verdict:
    """On one fault, or on one undisturbed run (fault None)."""

    def __init__(self, fault, difference, outcome):
        self.fault, self.difference, self.outcome = fault, difference, outcome
        since = outcome.injured_at if fault is not None else -math.inf
        self.stall_ms = history.longest_wait_ms(outcome.history, since) if since is not None else None

    def hung(self):
        return self.outcome.hung() or self.outcome.status != 0

    def good(self):
        difference = self.difference
        return not (self.hung() or difference.lost or difference.duplicated or difference.different)

    def text(self):
        difference = self.difference
        stall = "none" if self.stall_ms is None else f"{self.stall_ms:.1f} ms"
        status = "did not end" if self.outcome.hung() else f"status {self.outcome.status}"
        words = f"{self.fault or 'undisturbed'}: {status}, stall {stall}"
        if self.good():
            return words
        return (f"{words}; {difference.lost} lost, {difference.duplicated} duplicated, {difference.different} different"
                f"{'; ' + difference.first if difference.first else ''}\n{self.outcome.messages}")


class Report:
    def __init__(self, verbose):
        self.verbose = verbose
        self.verdicts = []
        self.never = 0  # faults of which no draw happened

    def add(self, index, verdict):
        if verdict is None:
            self.never += 1
            print(f"fault {index}: no point of its draws was passed", flush=True)
            return
        self.verdicts.append(verdict)
        if self.verbose or not verdict.good():
            print(verdict.text(), flush=True)

    def good(self):
        return bool(self.verdicts) and not self.never and all(verdict.good() for verdict in self.verdicts)

    def lines_of_kinds(self):
        """The stalls by the kind of fault."""
        kinds = sorted({verdict.fault.kind for verdict in self.verdicts if verdict.fault})
        for kind in kinds:
            verdicts = [verdict for verdict in self.verdicts if verdict.fault.kind == kind]
            yield f"{kind}: {len(verdicts)} faults; {stalls_of(verdicts)}"

    def last_line(self):
        differences = [verdict.difference for verdict in self.verdicts]
        return (f"{len(self.verdicts)} faults: {sum(d.lost for d in differences)} lost, "
                f"{sum(d.duplicated for d in differences)} duplicated, {sum(d.different for d in differences)} different, "
                f"{sum(verdict.hung() for verdict in self.verdicts)} hung; {stalls_of(self.verdicts)}")


def stalls_of(verdicts):
    stalls = sorted(verdict.stall_ms for verdict in verdicts if verdict.stall_ms is not None)
    return (f"stall ms median {percentile(stalls, 50):.1f} p99 {percentile(stalls, 99):.1f} "
            f"max {percentile(stalls, 100):.1f}")


def percentile(ordered, percent):
    """The smallest value that so many percent do not exceed; 0 of nothing."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
