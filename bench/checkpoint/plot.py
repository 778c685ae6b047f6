#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/checkpoint/*.svg from what bench_checkpoint_files measured, and prints the table of docs/checkpoint.md.

usage: plot.py FILES.json --out FOLDER
"""
import argparse
import json
import math
import os

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 80, 30, 20, 60
WAYS = (("difference", "#3b7ddd"), ("whole state", "#e08a2c"))


def chart(path, title, curves):
    """Both axes logarithmic; curves: (name, colour, dash, [(draws, value)])."""
    points = [point for *_, curve in curves for point in curve]
    xs = sorted({draws for draws, _ in points})
    low, high = (10.0 ** f(math.log10(g(value for _, value in points))) for f, g in ((math.floor, min), (math.ceil, max)))

    def x(draws):
        return LEFT + math.log(draws / xs[0]) / math.log(xs[-1] / xs[0]) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return TOP + (1 - math.log(value / low) / math.log(high / low)) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
           f'font-size="12" fill="#445"><title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    tick = low
    while tick <= high * 1.01:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#dde"/>'
                   f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:,g}</text>')
        tick *= 10
    for draws in xs:
        out.append(f'<text x="{x(draws):.1f}" y="{HEIGHT - 40}" text-anchor="middle">{draws:,}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 20}" text-anchor="middle">sequences drawn from one '
               f'checkpoint to the next - {title}</text>')
    for i, (name, colour, dash, curve) in enumerate(curves):
        line = " ".join(f"{x(draws):.1f},{y(value):.1f}" for draws, value in curve)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        out += [f'<circle cx="{x(draws):.1f}" cy="{y(value):.1f}" r="4" fill="{colour}"/>' for draws, value in curve]
        out.append(f'<text x="{LEFT + 14}" y="{HEIGHT - BOTTOM - 12 - 16 * i}" fill="{colour}" font-weight="600">{name}'
                   f'{" (dashed)" if dash != "none" else ""}</text>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(options.files, encoding="utf-8") as file:
        results = json.load(file)["results"]

    def curve(way, key):
        return [(r["draws"], r[key]) for r in results if r["way"] == way]

    chart(os.path.join(options.out, "bytes.svg"), "bytes of a checkpoint",
          [(way, colour, "none", curve(way, "bytes")) for way, colour in WAYS])
    chart(os.path.join(options.out, "time.svg"), "milliseconds",
          [(f"{way}: {name}", colour, dash, curve(way, key)) for way, colour in WAYS
           for name, key, dash in (("encode", "encode_ms", "none"), ("publish", "publish_ms", "6 4"))])
    print("| sequences drawn | difference: bytes | encode ms | publish ms | whole state: bytes | encode ms | publish ms |")
    print("|---|---|---|---|---|---|---|")
    for draws, _ in curve(WAYS[0][0], "bytes"):
        row = [f"{draws:,}"]
        for way, _ in WAYS:
            (r,) = [r for r in results if (r["draws"], r["way"]) == (draws, way)]
            row += [f"{r['bytes']:,}", f"{r['encode_ms']:.2f}", f"{r['publish_ms']:.2f}"]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
