#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stowage plan as its users see it: the table, the JSON, the page, and what it refuses.

Usage: plan_test.py [unittest options], with the program in the environment variable STOWAGE.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from megatron import write_pair

STOWAGE = os.environ["STOWAGE"]
INVALID_ARGUMENT, DATA_ERROR, IO_ERROR = 2, 4, 5
KEYS = {"name", "replica_max_over_mean", "replica_bound_max_over_mean", "makespan_over_bound", "micro_batches",
        "micro_batches_bound", "padding_share", "dist_ratio_vision", "dist_ratio_vision_bound", "dist_ratio_language",
        "dist_ratio_language_bound", "dropped", "plan_ms"}


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stowage-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        random.seed(1)
        rows = [f"{random.randrange(1, 6)},{random.randrange(10, 3000)},{random.randrange(10, 300)}" for _ in range(300)]
        self.table = self.folder / "lengths.csv"
        self.table.write_text("vision_tiles,tokens,more\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def run_plan(self, *arguments):
        return subprocess.run([STOWAGE, "plan", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)

    def plan_json(self, columns, *arguments):
        done = self.run_plan("--lengths", f"{self.table}:{columns}", "--replicas", 4, "--sequences", 64, "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_json_holds_every_method_with_its_measures(self):
        report = self.plan_json("tokens,more", "--cap", 4096, "--steps", 3, "--method", "all")

        self.assertEqual({key: report[key] for key in ("sequences", "replicas", "cap", "steps")},
                         {"sequences": 64, "replicas": 4, "cap": 4096, "steps": 3})
        self.assertEqual(report["methods"][0]["name"], "stowage")
        self.assertGreater(len(report["methods"]), 6)
        for method in report["methods"]:
            self.assertLessEqual(KEYS, method.keys())
            self.assertGreaterEqual(method["makespan_over_bound"], 1 - 1e-9)
            self.assertGreaterEqual(method["micro_batches"], method["micro_batches_bound"])

    def test_without_a_cap_only_replicas_are_planned(self):
        report = self.plan_json("tokens", "--method", "stowage,lpt")

        for method in report["methods"]:
            self.assertEqual((method["micro_batches"], method["padding_share"]), (1, 0))
        self.assertLess(report["methods"][0]["replica_max_over_mean"], 1.0001)

    def test_vision_tiles_are_no_tokens(self):
        report = self.plan_json("vision_tiles,tokens", "--cap", 8192, "--method", "stowage,omnibal")

        ours, grouped = report["methods"]
        self.assertLessEqual(ours["dist_ratio_vision"], ours["dist_ratio_vision_bound"] + 0.02)
        self.assertLess(ours["dist_ratio_vision"], grouped["dist_ratio_vision"])
        self.assertEqual(ours["dropped"], 0)

    def test_costs_can_be_given_fitted_or_preset(self):
        times = self.folder / "times.csv"
        times.write_text("tokens,seconds\n100,0.011\n1000,0.2\n2000,0.6\n", encoding="utf-8")
        for option in (("--cost", "1,0"), ("--preset", "llama3-8b"), ("--cost-table", times)):
            report = self.plan_json("tokens", "--method", "stowage", *option)
            self.assertLess(report["methods"][0]["makespan_over_bound"], 1.001)

    def test_table_names_every_method(self):
        done = self.run_plan("--lengths", f"{self.table}:tokens", "--replicas", 4, "--sequences", 64, "--cap", 4096)

        self.assertEqual(done.returncode, 0)
        for name in ("stowage", "as-drawn", "length-grouped", "first-fit", "lpt", "karmarkar-karp", "omnibal"):
            self.assertIn(f"\n{name} ", done.stdout)

    def test_page_is_one_file_without_links(self):
        page = self.folder / "page.html"
        self.plan_json("tokens", "--cap", 4096, "--html", page)

        text = page.read_text(encoding="utf-8")
        self.assertNotIn("http", text)
        self.assertEqual(text.count("<svg"), len(self.plan_json("tokens")["methods"]))
        for svg in text.split("<svg")[1:]:
            xml.etree.ElementTree.fromstring("<svg" + svg.split("</svg>")[0] + "</svg>")

    def test_a_configured_data_set_is_planned_as_its_run_would_be(self):
        write_pair(self.folder / "a", [[1] * (n % 50 + 1) for n in range(200)])
        config = self.folder / "run.yaml"
        config.write_text("steps: 6\ndata_parallel: 4\nbatch: {sequences: 40}\nmicro_batch: {tokens: 64}\nsources:\n"
                          "  - {name: a, format: megatron, path: a}\n", encoding="utf-8")

        done = self.run_plan(config, "--json", "--steps", 4)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["sequences"], report["replicas"], report["cap"], report["steps"]), (40, 4, 64, 4))

    def test_wrong_arguments_are_named(self):
        table = f"{self.table}:tokens"
        sizes = ("--replicas", 4, "--sequences", 64)
        for status, text, arguments in (
                (INVALID_ARGUMENT, "either a configuration or --lengths", ()),
                (INVALID_ARGUMENT, "needs --replicas and --sequences", ("--lengths", table)),
                (INVALID_ARGUMENT, "FILE.csv:COLUMN", ("--lengths", self.table, *sizes)),
                (INVALID_ARGUMENT, "has no column 'length'; its first line names vision_tiles, tokens, more",
                 ("--lengths", f"{self.table}:length", *sizes)),
                (INVALID_ARGUMENT, "unknown method 'best'; the methods are stowage, as-drawn",
                 ("--lengths", table, *sizes, "--method", "best")),
                (IO_ERROR, "cannot read", ("--lengths", f"{self.folder}/none.csv:tokens", *sizes)),
                (IO_ERROR, "cannot write", ("--lengths", table, *sizes, "--html", self.folder / "none" / "page.html"))):
            done = self.run_plan(*arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)

    def test_a_field_that_is_no_number_is_named_with_its_line(self):
        self.table.write_text("tokens\n5\n-3\n", encoding="utf-8")

        done = self.run_plan("--lengths", f"{self.table}:tokens", "--replicas", 4, "--sequences", 64)

        self.assertEqual(done.returncode, DATA_ERROR)
        self.assertIn(":3: column tokens must hold a whole number below 2^32, found '-3'", done.stderr)


if __name__ == "__main__":
    unittest.main()
