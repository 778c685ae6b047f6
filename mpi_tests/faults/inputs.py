# SPDX-License-Identifier: Apache-2.0
"""The text that the jobs read."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

LARGE = """
  - {{name: web, format: megatron, path: {0}/binidx/meg-gpt2-openwebtext_text_document, weight: 3}}
  - {{name: news, format: megatron, path: {0}/binidx/ag_news_prompt_inputs_document, weight: 1}}
"""
DEMO = """
  - {{name: descriptions, format: hdf5, path: {0}/descriptions.h5, weight: 7}}
  - {{name: copyrights, format: megatron, path: {0}/copyrights, weight: 1}}
"""


def add_argument(parser):
    parser.add_argument("--data", type=pathlib.Path, help="folder of the large real inputs",
                        default=os.environ.get("STOWAGE_DATA_DIR", ROOT.parent / "shared/data"))


def sources(options):
    """The configuration's list of sources: the large real inputs or, where they are absent, real text that every machine
    with stowage's packages holds."""
    if (options.data / "binidx").is_dir():
        return LARGE.format(options.data.resolve())
    demo = options.build / "demo-data"
    print(f"ABSENT: {options.data}/binidx; text of this machine is taken instead, in {demo}", flush=True)
    subprocess.run([ROOT / "scripts/make-demo-data", options.build / "stowage", demo], check=True,
                   stdout=subprocess.DEVNULL)
    return DEMO.format(demo)
