# SPDX-License-Identifier: Apache-2.0
# Sourced by scenarios: they run on the cluster's login host, in an empty folder that all hosts see. Hosts are n1 to n4.
set -euo pipefail
hosts=(1 2 3 4)

fail() { echo "FAILED: $*"; exit 1; }
note() { echo "note: $*"; }  # a figure for whoever runs the scenario
skip() { note "skipped: $*"; exit 77; }

# until_true SECONDS COMMAND...
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || fail "not so in time: $*"
    sleep 0.2
  done
}

# config REPLICAS STEPS [LINE...]: run.yaml in this folder.
config() {
  local replicas=$1 steps=$2
  shift 2
  cat >run.yaml <<T
seed: 7
data_parallel: $replicas
steps: $steps
batch: {sequences: $((6 * replicas))}
micro_batch: {tokens: 4096}
over_long: split
vocab_size: 257
sources:
  - {name: headers,  format: hdf5, path: $DATA/headers.h5,  weight: 3}
  - {name: code,     format: hdf5, path: $DATA/code.h5,     weight: 2}
  - {name: licences, format: hdf5, path: $DATA/licences.h5, weight: 1}
T
  printf '%s\n' "$@" >>run.yaml
}

# same_digests FILE [CONFIG]: what trainers recorded in FILE is what one process on one host says.
same_digests() {
  stowage digest "${2:-run.yaml}" >foretold
  [[ -s foretold ]] || fail "no digests were foretold"
  cmp foretold "$1" || fail "$1 differs from the digests of one host"
}

# The process ids of stowage on a host.
ranks_on() { vc on "$1" pgrep -x stowage || true; }

uncounted=()  # for find: what is not counted
# What is in /tmp and /dev/shm of every host, our processes there, and the jobs that Slurm has in its queue.
everything() {
  local host
  for host in "${hosts[@]}"; do
    vc on "$host" find /tmp /dev/shm -xdev -mindepth 1 "${uncounted[@]}" -printf "n$host:%p\n"
    ranks_on "$host" | sed "s/^/n$host: process /"
  done
  squeue --noheader --format 'job %i %T'
}
everything >at_start

# nothing_left [SECONDS]: all is as at the start, once Slurm has taken down its steps.
nothing_left() {
  local end=$((SECONDS + ${1:-30}))
  until everything | diff at_start - >left; do
    ((SECONDS < end)) || fail "left behind: $(cat left)"
    sleep 0.2
  done
}
