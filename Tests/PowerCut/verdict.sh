# What a power cut left, judged and counted. To be sourced; $saver and $report are set.
#
# A line of the report is `SYSTEM WAY VERDICT …`; what a verdict is:
#
#   whole     one whole state, not older than the last save that was acknowledged
#   lost      an older state: an acknowledged save is gone
#   mixed     what opens is not one state
#   broken    before recovery, a file that any program reads was not whole
#   failed    the package could not be opened
#   stuck     it was opened and then could not be saved
#   refused   a program said that it could not, and nothing was lost (two clients on NFS)
#   silent    a save failed and the program did not say so
#
# shellcheck shell=bash

# Runs a program whose synchronisations do nothing and succeed.
# shellcheck disable=SC2034 # for who sources this
without_synchronisation=(strace -f --seccomp-bpf -qq -o /dev/null -e trace=fsync,fdatasync,syncfs,sync
  -e inject=fsync,fdatasync,syncfs,sync:retval=0)

# The last generation that a program acknowledged in the file, 0 when none.
acknowledged() {
  local last
  last=$(tail -n 1 "$1" 2>/dev/null | grep -o '[0-9]*$') || true
  echo "${last:-0}"
}

note() {
  local line="$*"
  echo "${line//$'\n'/; }" >> "$report"
}

# judge SYSTEM WAY PACKAGE ACKNOWLEDGED: prints the generation that the package has now.
judge() {
  local out generation
  if ! out=$("$saver" naive "$3" 2>&1); then
    note "$1 $2 broken acknowledged $4: $out"
  fi
  judge_opened "$@"
}

# As `judge`, where nothing is promised about the files before recovery.
judge_opened() {
  local out generation status=0
  out=$("$saver" check "$3" 2>&1) || status=$?
  generation=$(sed -n 's/^state //p' <<< "$out")
  if [ $status = 1 ]; then
    note "$1 $2 mixed acknowledged $4: $out"
  elif [ $status != 0 ] || [ -z "$generation" ]; then
    note "$1 $2 failed acknowledged $4: status $status: $out"
  elif [ "$generation" -lt "$4" ]; then
    note "$1 $2 lost acknowledged $4: state $generation"
  elif ! goes_on "$3" "$generation"; then
    note "$1 $2 stuck acknowledged $4: state $generation"
  else
    note "$1 $2 whole acknowledged $4: state $generation"
    generation=$((generation + 1))
  fi
  echo "${generation:-0}"
}

goes_on() {
  "$saver" loop "$1" $(($2 + 1)) $(($2 + 1)) /dev/null >/dev/null &&
    "$saver" check "$1" | grep -qx "state $(($2 + 1))"
}

# Prints the table and what was bad. Fails when anything was.
summary() {
  awk '
    {
      row = sprintf("%-14s %-30s", $1, $2)
      if (!(row in seen)) order[++count] = row
      seen[row] = ""
      # These two have a line beside the verdict of the same cut.
      if ($3 != "broken" && $3 != "silent" && $3 != "refused") cuts[row]++
      found[row, $3]++
    }
    END {
      verdicts = split("whole lost mixed broken failed stuck silent refused", verdict)
      printf "%-14s %-30s %6s", "on", "way", "cuts"
      for (i = 1; i <= verdicts; i++) printf " %6s", verdict[i]
      print ""
      for (r = 1; r <= count; r++) {
        printf "%s %6d", order[r], cuts[order[r]]
        for (i = 1; i <= verdicts; i++) printf " %6d", found[order[r], verdict[i]]
        print ""
      }
    }' "$report"
  grep -E '^[^ ]+ writers-' "$report" | sort -u || true
  if grep -vE '^[^ ]+ [^ ]+ (whole|refused) ' "$report"; then
    echo "power cuts: BAD" >&2
    return 1
  fi
}
