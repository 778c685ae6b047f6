#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the drawings out of a page of `stowage plan --html`, one SVG file a method: panels.py PAGE.html FOLDER"""
import pathlib
import re
import sys

STYLE = """<style>svg{background:#fff}.bar{fill:#3b7ddd}.bar.odd{fill:#6ba0ea}.peak{fill:#d9534f}.peak.odd{opacity:.75}
.mean{stroke:#1c2430;stroke-dasharray:4 3}.axis{stroke:#dfe4ea}text{fill:#5b6777;font:11px system-ui,sans-serif}</style>"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in re.findall(r"<figure><figcaption>([^<]+)<.*?(<svg.*?</svg>)", page, re.DOTALL):
        svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        head, rest = svg.split(">", 1)
        (folder / f"{name}.svg").write_text(f"{head}>{STYLE}{rest}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
