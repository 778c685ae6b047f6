# SPDX-License-Identifier: Apache-2.0
# Sourced by scenarios in which a host cannot be reached: how each rank ends, and when.
. "$PROJECT/mpi_tests/cluster/common.sh"

TIMEOUT=7 PEER_LOST=8  # of stowage/status.h
# What good-byes and the ranks' waits for each other may take beyond the limit that noticed (docs/slurm.md).
GRACE=30
mkdir ends

# A rank's command under $RECORDED leaves in ends/RANK "HOST STATUS" when it ends, in ends/RANK.err its standard error, in
# ends/RANK.told the same with the microseconds since 1970 before each line.
export RECORDED=$PROJECT/mpi_tests/cluster/recorded

# Cuts the host off once the loader rank shows progress.
cut_while_running() {
  local host=$1 loader=$2
  until_true 60 grep -qsE 'step [0-9]{2,} of' "ends/$loader.err"
  vc cut "$host"
  lost=$host since=$(date +%s%3N)
}

nobody_there() {
  local host
  for host in "${hosts[@]}"; do [[ -z $(ranks_on "$host") ]] || return 1; done
}

# end_in_time RANKS LIMIT STATUS...: since the cut every rank ends within LIMIT seconds and the grace, with one of the
# statuses, or because Slurm ends a step when the first rank has left without MPI_Finalize; then the host is mended and
# nothing is left.
end_in_time() {
  local ranks=$1 limit=$2 rank host status ended by_slurm took statuses
  shift 2
  until_true $((limit + GRACE)) nobody_there
  took=$(($(date +%s%3N) - since))
  ended=$(find ends -name '[0-9]*' ! -name '*.*' | wc -l)
  ((ended > 0)) || fail "no rank ended by itself"
  for rank in ends/*[0-9]; do
    read -r host status <"$rank"
    [[ " $* " == *" $status "* ]] || fail "rank ${rank#ends/} on $host ended with $status, expected $*"
  done
  statuses=$(cut -d' ' -f2 ends/*[0-9] | sort | uniq -c | awk '{ printf ", %d with status %d", $1, $2 }')
  by_slurm=$((ranks - ended))
  note "errors were told $(grep -hoP '^\d+(?= stowage (serve|trainer): )' ends/*.told | sort -n | awk -v since="$since" '
    { last = $1 / 1e6 - since / 1e3; if (NR == 1) first = last }
    END { printf "%.1f to %.1f s after the cut, by %d ranks", first, last, NR }')"
  note "limits of $limit s: all $ranks ranks have ended $((took / 1000)).$((took / 100 % 10)) s after the cut$statuses," \
    "$by_slurm by Slurm after the first ones"
  vc mend "$lost"
  scancel --user=root
  nothing_left 90  # Slurm's own daemon on the host that was cut off goes on trying for a while
}

# said PATTERN RANK...: one of these ranks' standard error says so.
said() {
  local pattern=$1
  shift
  grep -hE "$pattern" "${@/#/ends/}" || fail "none of $* said '$pattern'"
}

# A rank's command begins with this where a host is to be lost before the job forms: it waits until start_without().
cat >together.sh <<'S'
touch "there/$SLURM_PROCID"
until [[ -e go ]]; do sleep 0.1; done
S
mkdir there

# start_without HOST RANKS: when so many ranks wait in together.sh, cuts the host off and lets all start.
start_without() {
  until_true 60 all_there "$2"
  vc cut "$1"
  lost=$1 since=$(date +%s%3N)
  touch go
}
all_there() { [[ $(find there -type f | wc -l) == "$1" ]]; }
