#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws planning time over the number of sequences from bench_plan_speed's JSON: growth.py SPEED.json > growth.svg"""
import json
import math
import sys

WIDTH, HEIGHT, LEFT, TOP = 640, 360, 70, 20
COLOURS = {1: "#3b7ddd", 2: "#e08a2c"}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [run for run in json.load(file)["runs"] if run["sequences"] >= 10_000]
    x_range = (4.0, 6.0)
    times = [math.log10(run["plan_ms"]) for run in runs]
    y_range = (math.floor(min(times)), math.ceil(max(times)))

    def x(sequences):
        return LEFT + (math.log10(sequences) - x_range[0]) / (x_range[1] - x_range[0]) * (WIDTH - LEFT - 30)

    def y(log_ms):
        return TOP + (y_range[1] - log_ms) / (y_range[1] - y_range[0]) * (HEIGHT - TOP - 60)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
           f'font-size="12" fill="#445"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for power in range(y_range[0], y_range[1] + 1):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 30}" y1="{y(power):.1f}" y2="{y(power):.1f}" stroke="#dde"/>'
                   f'<text x="{LEFT - 8}" y="{y(power) + 4:.1f}" text-anchor="end">{10 ** power:g} ms</text>')
    for sequences, label in ((10 ** 4, "10,000"), (10 ** 5, "100,000"), (10 ** 6, "1,000,000")):
        out.append(f'<line x1="{x(sequences):.1f}" x2="{x(sequences):.1f}" y1="{TOP}" y2="{HEIGHT - 40}" stroke="#dde"/>'
                   f'<text x="{x(sequences):.1f}" y="{HEIGHT - 22}" text-anchor="middle">{label}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 5}" text-anchor="middle">sequences a step, both stages</text>')
    for threads, colour in COLOURS.items():
        points = [(x(run["sequences"]), y(math.log10(run["plan_ms"]))) for run in runs if run["threads"] == threads]
        if not points:
            continue
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in points]
        name = "1 thread" if threads == 1 else f"{threads} threads"
        out.append(f'<text x="{LEFT + 14}" y="{TOP + 4 + 16 * threads}" fill="{colour}" font-weight="600">{name}</text>')
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
