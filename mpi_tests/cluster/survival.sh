# SPDX-License-Identifier: Apache-2.0
# Sourced by scenarios in which a run outlives what happens to it: what its trainers received, and how long they waited.
. "$PROJECT/mpi_tests/cluster/common.sh"

# Open MPI's daemons may leave empty folders when their mpirun had to be ended (docs/slurm.md).
uncounted=(! '(' -type d -path '/tmp/ompi.*' ')')

# Trainers of these scenarios take some 20 ms a step, or COST / 4e-11 times as much, and append to history.RANK what they receive.
export TRAINER="stowage trainer --record-history history --seconds-per-cost ${COST:-4e-11} --sync-seconds ${SYNC:-60}"

# steps_in FILES...: the step that each file's last line is of, the lowest first; -1 for a file without lines.
steps_in() { for file in "$@"; do tail -n1 "$file" | awk '{ print $1 } END { if (!NR) print -1 }'; done | sort -n; }

# reached STEP RANKS: so many trainers have received STEP.
reached() { [[ $(steps_in history.* 2>/dev/null | awk -v step="$1" '$1 >= step' | wc -l) -ge $2 ]]; }

# same_stream: no trainer received anything but what one process on one host says, and what they received, pieces joined,
# is all of it. A piece that begins again at an earlier step replaces what was received from that step on.
same_stream() {
  stowage digest run.yaml >foretold
  [[ -s foretold ]] || fail "no digests were foretold"
  cat history.* | cut -d' ' -f1-3 | grep -vxFf foretold && fail "this was received and should not have been"
  cat history.* | awk '
    { while (top[$2] && step[$2, top[$2]] >= $1) --top[$2]; step[$2, ++top[$2]] = $1; line[$2, top[$2]] = $1 " " $2 " " $3 }
    END { for (replica in top) for (i = 1; i <= top[replica]; ++i) print line[replica, i] }' | sort -k1,1n -k2,2n >joined
  cmp foretold joined || fail "the joined pieces differ from the digests of one host"
}

# waited_since SECONDS: the longest wait of a trainer for a step, in ms, of all waits that ended after this moment of
# CLOCK_MONOTONIC.
waited_since() { cat history.* | awk -v since="$1" '$5 > since && $4 > most { most = $4 } END { printf "%.0f", most }'; }

# lose HOST: it loses power, for the rest of the scenario.
lose() {
  vc kill-host "$1"
  local host living=()
  for host in "${hosts[@]}"; do [[ $host == "$1" ]] || living+=("$host"); done
  hosts=("${living[@]}")
  sed -i "/^n$1:/d" at_start
}

# longest_pause: the longest time between two steps of a trainer, in seconds.
longest_pause() { awk 'NR > 1 && $5 - last > most { most = $5 - last } { last = $5 } END { printf "%.0f", most }' history.0; }

# resumed STEPS MOST: of a run of STEPS that was started again, a trainer received no more than MOST twice.
resumed() {
  local twice=$(($(wc -l <history.0) - $1))
  ((twice <= $2)) || fail "$twice steps came twice, at most $2 were expected"
  note "$twice steps came twice"
}
