#!/usr/bin/env bash
# What an export and an import cost beside other programs: archive-speed.sh DOCPKG [ROUNDS]
#
# Three packages of 104 MB each: text, pictures (bytes that do not compress), and a mix of which three quarters do not
# compress. All programs take turns in each round, warm, on the file system of TMPDIR; printed are the medians, the ratio
# to docpkg's, pair by pair, and the peak memory. Needs GNU time.
set -euo pipefail
docpkg=$(readlink -f "$1")
rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C.UTF-8

# Lines of words in an order that is nobody's; seeded, so that it is the same each time.
awk 'BEGIN {
  srand(7)
  split("the hut stands above three valleys and rain came over the pass at noon we ate bread cheese apples path snow " \
    "river stone bridge map letter window lamp evening morning north wind cloud bird field", word, " ")
  for (n = 0; n < 1400000; n++) {
    line = ""
    for (i = 0; i < 12; i++) line = line word[1 + int(rand() * 43)] (rand() < 0.08 ? int(rand() * 1000) : "") " "
    print line
  }
}' | head -c 104000000 > words
# picture NAME KILOBYTES
picture() { head -c $(($2 * 1000)) /dev/urandom > "$1"; }

mkdir -p text/Notes pictures/Images mix/Images mix/Notes
split -b 260000 -a 3 words text/Notes/n
for i in {1..130}; do picture "pictures/Images/$i.jpg" 800; done
for i in {1..99}; do picture "mix/Images/$i.jpg" 800; done
head -c 25000000 words | split -b 100000 -a 3 - mix/Notes/n
rm words

# run NAME COMMAND: one measurement, appended to what NAME has.
run() {
  local name=$1
  shift
  /usr/bin/time -o measured -f '%e %M' bash -c "$*" > /dev/null 2> said || { cat said >&2; return 1; }
  cat measured >> "times.$name"
}

# compare TITLE NAME=COMMAND …: the first is docpkg's. Before each of them PREPARE is done.
compare() {
  local title=$1 round pair name
  shift
  rm -f times.*
  for ((round = 0; round <= rounds; round++)); do
    for pair in "$@"; do
      name=${pair%%=*}
      command -v "${name%% *}" > /dev/null || [ "${name%% *}" = docpkg ] || continue
      rm -rf out out.*
      run "$(tr ' /' '__' <<< "$name")" "${pair#*=}"
    done
    # The first round only warms up.
    [ $round != 0 ] || rm -f times.*
  done
  for pair in "$@"; do
    name=$(tr ' /' '__' <<< "${pair%%=*}")
    [ -e "times.$name" ] || continue
    paste -d ' ' "times.$name" times.docpkg | awk -v title="$title" -v name="${name//_/ }" '
      { s[NR] = $1; r[NR] = $1 / ($3 > 0 ? $3 : 0.001); if ($2 > m) m = $2 }
      function median(a, n,  i, j, t) {
        for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
      }
      END { printf "%-22s %-16s %7.2f s %7.2f x %7.0f MB\n", title, name, median(s, NR), median(r, NR), m / 1024 }'
  done
}

threads=$(nproc)
for kind in text pictures mix; do
  compare "zip, $kind" \
    "docpkg='$docpkg' export $kind out.zip" \
    "zip=zip -qr -6 out.zip $kind" \
    "bsdtar=bsdtar --format zip -cf out.zip $kind" \
    "7z=7z a -tzip -mmt=$threads out.zip $kind" \
    "python3=python3 -c 'import shutil; shutil.make_archive(\"out\", \"zip\", \".\", \"$kind\")'"
  compare "tar.zst, $kind" \
    "docpkg='$docpkg' export $kind out.tar.zst" \
    "tar zstd -T0=tar -c $kind | zstd -q -T0 > out.tar.zst" \
    "bsdtar --zstd=bsdtar --zstd -cf out.tar.zst $kind"
  '/usr/bin/zip' -qr -6 "$kind.zip" "$kind"
  compare "import zip, $kind" \
    "docpkg='$docpkg' import $kind.zip out" \
    "unzip=unzip -q $kind.zip -d out" \
    "bsdtar=mkdir out && bsdtar -xf $kind.zip -C out" \
    "unzip + sync=unzip -q $kind.zip -d out && find out -type f -exec sync {} +"
  tar -c "$kind" | zstd -q -T0 > "$kind.tar.zst"
  compare "import tar.zst, $kind" \
    "docpkg='$docpkg' import $kind.tar.zst out" \
    "bsdtar=mkdir out && bsdtar -xf $kind.tar.zst -C out" \
    "tar + sync=mkdir out && tar -xf $kind.tar.zst -C out && find out -type f -exec sync {} +"
done

# What did not change is not compressed again.
cp -r mix changed
"$docpkg" export changed again.zip --quiet
echo more >> changed/Notes/naaa
compare "zip again, one changed" \
  "docpkg='$docpkg' export changed out.zip" \
  "docpkg --update=cp again.zip out.zip && '$docpkg' export changed out.zip --update" \
  "cp=cp again.zip out.zip"
