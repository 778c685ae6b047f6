#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An interactive allocation in which mpirun starts the job: for trying things out, again and again without queueing.
#   salloc --nodes=2 --ntasks-per-node=5 --time=01:00:00 slurm/interactive.sh
# or, to stay: salloc ... without a command, then slurm/interactive.sh as often as you like.
set -euo pipefail

CONFIG=${CONFIG:-demo.yaml}          # with data_parallel: 4 for each node
TRAINER=${TRAINER:-stowage trainer}  # your program in place of the stand-in

nodes=$SLURM_JOB_NUM_NODES
# Each program is spread over the nodes, 4 trainers and 1 loader rank on each; trainers are numbered node by node.
mpirun --map-by node --rank-by slot -n $((4 * nodes)) $TRAINER : -n "$nodes" stowage serve "$CONFIG" --quiet
