#!/usr/bin/env bash
# Compile the Windows installer over a small folder, in all three ways; any warning is an error. Needs makensis.
# usage: packaging/windows/lint.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/program/_internal"
for file in honeyguide.exe honeyguide-window.exe _internal/file; do echo x >"$work/program/$file"; done
compile() {
    makensis -V2 -WX -INPUTCHARSET UTF8 -DVERSION=0.1.0 -DVERSION4=0.1.0.0 "-DSOURCE=$work/program" \
        "-DOUTPUT=$work/honeyguide-0.1.0-setup.exe" "$@" packaging/windows/honeyguide.nsi
    [ "$(head -c 2 "$work/honeyguide-0.1.0-setup.exe")" = MZ ]
}
compile
compile -DWRITE_UNINSTALLER
compile "-DUNINSTALLER=$work/program/honeyguide.exe"
echo "the Windows installer compiles"
