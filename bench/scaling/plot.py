#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/scaling/*.svg from what was measured, and from the model beyond; prints both side by side.

usage: plot.py PLANNING.json STEPS.json... --out FOLDER

PLANNING.json is bench_scaling_planning's, each STEPS.json bench_scaling_steps' of one number of ranks. docs/scaling.md
explains the model.
"""
import argparse
import json
import math
import os

REPLICAS_A_LOADER, LOADERS_A_NODE, SEQUENCES_A_REPLICA = 2, 4, 16
SEQUENCES_A_LOADER = REPLICAS_A_LOADER * SEQUENCES_A_REPLICA
DESCRIPTOR = 24  # bytes: shard, first token, tokens
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 80, 30, 20, 60


def hit(places, throws):
    """The chance that one of `places` is hit by at least one of `throws` at random."""
    return 1 - (1 - 1 / places) ** throws


def model(replicas):
    """Messages and bytes a loader rank and step."""
    ranks = replicas // REPLICAS_A_LOADER
    k = min(LOADERS_A_NODE, ranks)
    nodes = max(1, ranks // k)
    s = SEQUENCES_A_LOADER
    led = (nodes - 1) / k  # partners a rank is the agent of
    through_others = (nodes - 1) - led
    by_node_between = led * hit(nodes, s * k)
    by_node_inside = ((k - 1) * hit(ranks, s)                  # straight to receivers
                      + (k - 1) * min(1.0, led)                # sizes to each agent
                      + through_others * hit(nodes, s)         # parts to agents
                      + led * (k - 1) * hit(ranks, s * k))     # dealt out
    if nodes == 1:
        by_node_between, by_node_inside = 0.0, (k - 1) * hit(ranks, s)
    return {
        "descriptor_bytes": DESCRIPTOR * SEQUENCES_A_REPLICA * replicas + 8 * ranks,
        "plain_between": (ranks - k) * hit(ranks, s),
        "plain_inside": (k - 1) * hit(ranks, s),
        "by_node_between": by_node_between,
        "by_node_inside": by_node_inside,
        "gathering": 2 * math.ceil(math.log2(ranks)),      # sizes, then descriptors
        "agreement": math.ceil(math.log2(ranks)),          # by dissemination
    }


def log_axis(low, high):
    return [10.0 ** p for p in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def chart(path, title, unit, curves):
    """curves: (name, colour, [(replicas, value, measured)])"""
    points = [p for _, _, curve in curves for p in curve if p[1] > 0]
    xs = sorted({p[0] for p in points})
    ticks = log_axis(min(p[1] for p in points), max(p[1] for p in points))

    def x(replicas):
        span = math.log2(xs[-1] / xs[0])
        return LEFT + math.log2(replicas / xs[0]) / span * (WIDTH - LEFT - RIGHT)

    def y(value):
        span = math.log10(ticks[-1] / ticks[0])
        return TOP + (1 - math.log10(value / ticks[0]) / span) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
           f'font-size="12" fill="#445"><title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for tick in ticks:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#dde"/>'
                   f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:,g}</text>')
    for replicas in xs:
        out.append(f'<text x="{x(replicas):.1f}" y="{HEIGHT - 40}" text-anchor="middle">{replicas:,}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 20}" text-anchor="middle">replicas'
               f' - {title}, {unit} - dots: measured, line: {"modelled" if any(not p[2] for p in points) else "measured"}'
               '</text>')
    for i, (name, colour, curve) in enumerate(curves):
        line = " ".join(f"{x(r):.1f},{y(v):.1f}" for r, v, measured in curve if v > 0 and not measured)
        dots = [(x(r), y(v)) for r, v, measured in curve if v > 0 and measured]
        if not line:
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in dots)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in dots]
        out.append(f'<text x="{LEFT + 14}" y="{TOP + 14 + 16 * i}" fill="{colour}" font-weight="600">{name}</text>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def results(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("planning")
    parser.add_argument("steps", nargs="+")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    planning = results(options.planning)
    steps = [r for path in options.steps for r in results(path)]
    modelled = [(r, model(r)) for r in (2 ** p for p in range(4, 13))]

    colours = ("#3b7ddd", "#e08a2c", "#2a9d5c")
    chart(os.path.join(options.out, "planning.svg"), "time to plan a step", "ms",
          [(f"{t} thread{'s' if t > 1 else ''}", c, [(r["replicas"], r["plan_ms"], True) for r in planning if r["threads"] == t])
           for t, c in zip((1, 2), colours)])
    chart(os.path.join(options.out, "descriptors.svg"), "descriptors that a loader rank receives in a step", "bytes",
          [("descriptors", colours[0],
            [(r["replicas"], r["descriptor_bytes"], True) for r in steps if r["way"] == "plain"]
            + [(r, m["descriptor_bytes"], False) for r, m in modelled])])
    curves = []
    for (way, key), colour in zip((("plain", "plain"), ("by node", "by_node")), colours):
        curves.append((f"exchange, {way}, between nodes", colour,
                       [(r["replicas"], r["messages_between"], True) for r in steps if r["way"] == way]
                       + [(r, m[key + "_between"], False) for r, m in modelled]))
    curves.append(("gathering of descriptors", colours[2],
                   [(r["replicas"], r["messages_gathering"], True) for r in steps if r["way"] == "plain"]
                   + [(r, m["gathering"], False) for r, m in modelled]))
    chart(os.path.join(options.out, "messages.svg"), "messages that a loader rank sends in a step", "count", curves)

    print("| replicas | loader ranks | nodes | way | between nodes: measured | modelled "
          "| inside nodes: measured | modelled | gathering: measured | modelled |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for r in steps:
        m = model(r["replicas"])
        key = r["way"].replace(" ", "_")
        print(f'| {r["replicas"]} | {r["ranks"]} | {r["nodes"]} | {r["way"]} | {r["messages_between"]:.2f} | '
              f'{m[key + "_between"]:.2f} | {r["messages_inside"]:.2f} | {m[key + "_inside"]:.2f} | {r["messages_gathering"]:.2f} | {m["gathering"]} |')
    print("\n| replicas | plain: between, inside | by node: between, inside | gathering | agreement | descriptor bytes |")
    print("|---|---|---|---|---|---|")
    for r, m in modelled:
        print(f'| {r:,} | {m["plain_between"]:.1f}, {m["plain_inside"]:.1f} | {m["by_node_between"]:.1f}, '
              f'{m["by_node_inside"]:.1f} | {m["gathering"]:,} | {m["agreement"]:,} | {m["descriptor_bytes"]:,} |')


if __name__ == "__main__":
    main()
