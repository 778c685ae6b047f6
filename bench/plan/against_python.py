#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The differencing method in Python beside `stowage plan`, on the same lengths, in one run.

against_python.py STOWAGE FILE.csv COLUMN[,COLUMN...] SEQUENCES REPLICAS
"""
import csv
import heapq
import json
import random
import subprocess
import sys
import tempfile
import time


def karmarkar_karp(costs, parts):
    """Combines the two partial divisions that differ most until one is left; returns the sums of its parts."""
    heap = []
    for number, cost in enumerate(costs):
        state = [(cost, (number,))] + [(0, ())] * (parts - 1)
        heap.append((-cost, number, state))
    heapq.heapify(heap)
    number = len(costs)
    while len(heap) > 1:
        first = heapq.heappop(heap)[2]
        second = heapq.heappop(heap)[2]
        joined = sorted(((a[0] + b[0], a[1] + b[1]) for a, b in zip(first, reversed(second))), reverse=True)
        heapq.heappush(heap, (joined[-1][0] - joined[0][0], number, joined))
        number += 1
    return [sum(costs[i] for i in members) for _, members in heap[0][2]]


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    stowage, table, columns = sys.argv[1:4]
    sequences, replicas = int(sys.argv[4]), int(sys.argv[5])
    with open(table, encoding="utf-8") as file:
        lengths = [sum(int(row[column]) for column in columns.split(",")) for row in csv.DictReader(file)]
    random.seed(0)
    step = random.sample(lengths, sequences)
    costs = [24576 * length + length * length for length in step]
    begin = time.perf_counter()
    sums = karmarkar_karp(costs, replicas)
    python_ms = 1000 * (time.perf_counter() - begin)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("tokens\n" + "\n".join(map(str, step)) + "\n")
        file.flush()
        report = subprocess.run([stowage, "plan", "--lengths", file.name + ":tokens", "--replicas", str(replicas),
                                 "--sequences", str(sequences), "--steps", "10", "--method", "stowage,karmarkar-karp", "--json"],
                                check=True, capture_output=True, text=True).stdout
    rows = {row["name"]: row for row in json.loads(report)["methods"]}
    mean = sum(costs) / replicas
    print(f"{sequences} sequences on {replicas} replicas")
    print(f"  Karmarkar-Karp in Python {python_ms:10.2f} ms  max/mean {max(sums) / mean:.6f}")
    for name in ("karmarkar-karp", "stowage"):
        row = rows[name]
        print(f"  {name:24s} {row['plan_ms']:10.2f} ms  max/mean {row['replica_max_over_mean']:.6f}  "
              f"{python_ms / row['plan_ms']:.0f} times as fast")


if __name__ == "__main__":
    main()
