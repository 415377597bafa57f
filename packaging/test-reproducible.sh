#!/usr/bin/env bash
# Freeze twice and compare: the same list of files, and the same bytes in every one of them.
# usage: packaging/test-reproducible.sh [FROZEN]      FROZEN: the first of the two, build/frozen/honeyguide by default
# Needs what packaging/build.sh leaves behind. Signatures are made afterwards and are not compared.
set -euo pipefail
cd "$(dirname "$0")/.."
first=${1:-build/frozen/honeyguide}
python=$PWD/build/package-venv/bin/python
[ -d "$first" ] && [ -x "$python" ] || { echo "honeyguide: run packaging/build.sh first" >&2; exit 1; }
HONEYGUIDE_FREEZE_WORK=build/pyinstaller-again bash packaging/freeze.sh "$python" build/frozen-again
listing() { (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum && find . -type l -printf '%p -> %l\n' | LC_ALL=C sort); }
if diff <(listing "$first") <(listing build/frozen-again/honeyguide); then
    echo "honeyguide: $(listing "$first" | wc -l) files, all the same"
else
    echo "honeyguide: the two builds differ in the files above" >&2
    exit 1
fi
