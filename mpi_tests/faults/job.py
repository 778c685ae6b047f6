# SPDX-License-Identifier: Apache-2.0
"""One job of stand-in trainers and loaders, under stowage-run, with or without a fault."""

import dataclasses
import os
import pathlib
import signal
import subprocess
import time

import faults
import history

LIMIT = 120.0  # seconds for a job that takes two, on a machine that may be busy; one that needs more hangs
STEPS = 150
SECONDS_PER_COST = 4e-11  # some milliseconds a step
ENDED = "did not end after"  # what stowage-run says of what it had to end

CONFIG = """
seed: 77
data_parallel: {trainers}
steps: {steps}
batch: {{sequences: 16}}
micro_batch: {{tokens: 8192}}
over_long: split
delivery: {delivery}
limits: {{peer_seconds: 1, acquire_seconds: 30, trainer_seconds: 30}}
sources: {sources}"""

ENVIRONMENT = {"OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1"}
if os.geteuid() == 0:
    ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclasses.dataclass(frozen=True)
class Programs:
    stowage: pathlib.Path
    run: pathlib.Path
    launcher: str
    sources: str  # of the configuration (inputs.py)


@dataclasses.dataclass
class Outcome:
    history: dict
    status: int | None  # None: it did not end
    messages: str
    injured_at: float | None  # seconds of CLOCK_MONOTONIC

    def hung(self):
        return self.status is None or ENDED in self.messages


class Job:
    def __init__(self, programs, folder, layout, fault=None, run_seconds=0.0, settings=""):
        """`run_seconds`: the length of the undisturbed run, of which fault.moment is a share. `settings`: more lines of the
        configuration."""
        self.programs, self.folder, self.layout, self.fault = programs, folder, layout, fault
        self.moment = None if fault is None else fault.moment * run_seconds
        self.settings = settings
        self.injured = None  # process and time
        self.continued = False

    def run(self):
        process = self.start()
        deadline = time.monotonic() + LIMIT
        status = None
        try:
            while status is None and time.monotonic() < deadline:
                if self.fault is not None:
                    self.injure()
                time.sleep(0.002 if self.waits_to_injure() else 0.02)
                status = process.poll()
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            left = self.kill_all()
        outcome = self.outcome(None if left else status)
        outcome.messages += left
        return outcome

    def run_until(self, steps, seconds):
        """Kills every process of the job, the launcher's too, so many seconds after a trainer has received so many steps
        or, of 0 steps, after the start. The job may have ended before; its status is None if it was killed."""
        process = self.start()
        deadline = time.monotonic() + LIMIT
        while process.poll() is None and self.received() < steps and time.monotonic() < deadline:
            time.sleep(0.002)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        while self.kill_all():  # those that were being started
            pass
        process.wait()
        return self.outcome(status)

    def outcome(self, status):
        messages = (self.folder / "messages").read_text(errors="replace")
        return Outcome(history.read(self.folder), status, messages, self.injured[1] if self.injured else None)

    def start(self):
        config = self.folder / "run.yaml"
        text = CONFIG.format(trainers=faults.TRAINERS, steps=STEPS, sources=self.programs.sources,
                             delivery=self.layout.delivery)
        config.write_text(text + (f"shadows: {self.layout.shadows}\n" if self.layout.shadows else "") + self.settings)
        environment = dict(os.environ, **ENVIRONMENT,
                           LD_PRELOAD=str(self.programs.stowage.parent / "stowage_gentle_yield.so"))
        if self.layout.transport == "tcp":
            environment["OMPI_MCA_btl"] = "tcp,self"
        if self.fault is not None and self.fault.environment():
            environment |= {"STOWAGE_FAULT": self.fault.environment(),
                            "STOWAGE_FAULT_FILE": str(self.folder / "injured")}
        words = [self.programs.run, "--launcher", self.programs.launcher, "--results", self.folder, "--grace", "5",
                 "-n", faults.TRAINERS, self.programs.stowage, "trainer", "--record-history", self.folder / "history",
                 "--seconds-per-cost", SECONDS_PER_COST, "--sync-seconds", 40,
                 ":", "-n", len(self.layout.ranks()), self.programs.stowage, "serve", config, "--quiet"]
        with open(self.folder / "messages", "wb") as messages:
            return subprocess.Popen([str(word) for word in words], env=environment, stdin=subprocess.DEVNULL,
                                    stdout=messages, stderr=messages)

    def waits_to_injure(self):
        return self.fault is not None and self.injured is None and self.fault.point == faults.MOMENT

    def injure(self):
        """Does what is due now."""
        if self.injured is None:
            self.injured = self.injure_at_moment() if self.fault.point == faults.MOMENT else self.injured_itself()
        elif self.fault.kind == "pause" and not self.continued:
            pid, since = self.injured
            if time.monotonic() >= since + self.fault.pause:
                self.continued = True
                send(pid, signal.SIGCONT)

    def injure_at_moment(self):
        began = self.began()
        if began is None or time.monotonic() < began + self.moment:
            return None
        pid = self.program_of(self.fault.rank)
        now = time.monotonic()
        if pid is None or not send(pid, signal.SIGKILL if self.fault.kind == "kill" else signal.SIGSTOP):
            return None
        return pid, now

    def injured_itself(self):
        path = self.folder / "injured"
        for line in path.read_text().splitlines() if path.exists() else []:
            pid, point, seconds = line.split()
            if point == self.fault.point:
                return int(pid), float(seconds)
        return None

    def began(self):
        """When the first trainer got its first step."""
        for path in self.folder.glob("history.*"):
            lines = history.parse(path.read_text())
            if lines:
                return lines[0].seconds
        return None

    def received(self):
        """The most steps that any trainer has received."""
        return max((path.read_bytes().count(b"\n") for path in self.folder.glob("history.*")), default=0)

    def program_of(self, rank):
        """The process of a rank: the child of the one that watches it."""
        for marker in self.folder.glob(f".stowage-run.*/{rank}.started"):
            role, _, _, watcher, _ = marker.read_text().split()
            if role != "loader":
                raise RuntimeError(f"rank {rank} is a {role}: the launcher has not numbered trainers first")
            children = pathlib.Path(f"/proc/{watcher}/task/{watcher}/children")
            try:
                return int(children.read_text().split()[0])
            except (OSError, IndexError):
                return None
        return None

    def kill_all(self):
        """Every process that works for this job, in words."""
        left = ""
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if str(self.folder) in words and send(int(entry.parent.name), signal.SIGKILL):
                    left += f"left behind: {entry.parent.name} {words}\n"
            except OSError:
                pass
        return left


def send(pid, number):
    """False if there is no such process any more."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
