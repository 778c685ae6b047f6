# SPDX-License-Identifier: Apache-2.0
"""What the tests of whole jobs share: small data, configurations, and running mpirun with a time-out."""

import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

STOWAGE = os.environ["STOWAGE"]
DATA = pathlib.Path(os.environ["STOWAGE_DATA_DIR"])
TIMEOUT = 120  # seconds for one job; a hang is a failure


class JobTest(unittest.TestCase):
    """A test with a folder of its own, and assertions on jobs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-job-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_ok(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    def real_data(self, name):
        """A file of the large real inputs, which are not part of the repository."""
        path = DATA / name
        if not path.exists():
            print(f"ABSENT: {path}; this test needs it and is skipped")
            self.skipTest(f"{path} is absent")
        return path


# More ranks than cores, idle ranks give way, and root may use mpirun.
MPI_ENVIRONMENT = {"OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
if os.geteuid() == 0:
    MPI_ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command, threads=1, timeout=TIMEOUT, **options):
    environment = dict(os.environ, **MPI_ENVIRONMENT, OMP_NUM_THREADS=str(threads))
    return subprocess.run([str(word) for word in command], env=environment, timeout=timeout, capture_output=True,
                          text=True, check=False, **options)


def stowage(*words):
    return [STOWAGE, *words]


def mpirun(ranks, *words):
    """`stowage WORDS` on so many ranks."""
    return ["mpirun", "--oversubscribe", "-n", ranks, STOWAGE, *words]


def job(config, trainers, loaders, trainer_words=(), serve_words=()):
    """Trainers beside loaders."""
    return ["mpirun", "--oversubscribe", "-n", trainers, STOWAGE, "trainer", *trainer_words, ":", "-n", loaders, STOWAGE,
            "serve", config, "--quiet", *serve_words]


def write_megatron(prefix, sequences, documents=None):
    """A Megatron pair of u16 tokens; one document a sequence unless told otherwise."""
    lengths = [len(tokens) for tokens in sequences]
    pointers, at = [], 0
    for length in lengths:
        pointers.append(at)
        at += 2 * length
    documents = documents if documents is not None else list(range(len(sequences) + 1))
    with open(f"{prefix}.bin", "wb") as file:
        for tokens in sequences:
            file.write(struct.pack(f"<{len(tokens)}H", *tokens))
    with open(f"{prefix}.idx", "wb") as file:
        file.write(b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, len(sequences), len(documents)))
        file.write(struct.pack(f"<{len(lengths)}i", *lengths))
        file.write(struct.pack(f"<{len(pointers)}q", *pointers))
        file.write(struct.pack(f"<{len(documents)}q", *documents))


def read_megatron(prefix):
    """The sequences of a Megatron pair: independent of the library, and as plain as can be."""
    index = pathlib.Path(f"{prefix}.idx").read_bytes()
    raw = pathlib.Path(f"{prefix}.bin").read_bytes()
    _, code, count, _ = struct.unpack_from("<QBQQ", index, 9)
    letter, width = {1: ("B", 1), 4: ("i", 4), 8: ("H", 2)}[code]
    lengths = struct.unpack_from(f"<{count}i", index, 34)
    pointers = struct.unpack_from(f"<{count}q", index, 34 + 4 * count)
    return [struct.unpack_from(f"<{n}{letter}", raw, at) for n, at in zip(lengths, pointers)]


def tokens_of(source, length, seed=0):
    """Tokens that tell their source and place."""
    return [(source * 1000 + seed + i) % 60000 for i in range(length)]
