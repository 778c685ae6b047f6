#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The trainer in the README compiles as C11 without a warning, and trains."""

import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "mpi_tests" / "job"))
import jobs  # noqa: E402

TRAIN = """
#include <stdio.h>
#include <stowage.h>
static void train(const stowage_micro_batch *batch) { printf("%u\\n", batch->tokens_real); }
"""


class ReadmeTest(jobs.JobTest):
    def test_the_trainer_of_the_readme_compiles_and_trains(self):
        code = re.search(r"```c\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
        source = self.write("trainer.c", TRAIN + code)
        library = pathlib.Path(os.environ["STOWAGE_LIBRARY"])
        flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}/include", f"-L{library.parent}",
                 f"-Wl,-rpath,{library.parent}", "-lstowage", *os.environ.get("STOWAGE_C_FLAGS", "").split()]
        self.run_ok("mpicc", source, "-o", self.folder / "trainer", *flags)
        jobs.write_megatron(self.folder / "a", [jobs.tokens_of(1, i) for i in range(20)])
        config = self.write("run.yaml", "data_parallel: 2\nepochs: 1\nbatch: {sequences: 4}\nmicro_batch: {tokens: 32}\n"
                                        "sources: [{name: a, format: megatron, path: a}]\n")

        done = self.run_ok("mpirun", "--oversubscribe", "-n", 2, self.folder / "trainer", ":", "-n", 1, jobs.STOWAGE,
                           "serve", config, "--quiet")

        self.assertEqual(sum(map(int, done.stdout.split())), sum(range(20)))

    def test_the_readme_stays_short(self):
        self.assertLess(len((ROOT / "README.md").read_text().splitlines()), 200)


if __name__ == "__main__":
    unittest.main()
