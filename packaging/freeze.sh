#!/usr/bin/env bash
# Freeze the program into a folder with everything it needs but the system's own libraries.
# usage: packaging/freeze.sh PYTHON OUT        PYTHON has packaging/requirements-package.lock installed
# Works in the shells of Linux, macOS and (Git's) of Windows. The result is OUT/honeyguide (and OUT/Honeyguide.app).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: packaging/freeze.sh PYTHON OUT}
out=${2:?usage: packaging/freeze.sh PYTHON OUT}
work=${HONEYGUIDE_FREEZE_WORK:-build/pyinstaller}

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1767225600) # 2026-01-01 outside a checkout
fi
export SOURCE_DATE_EPOCH PYTHONHASHSEED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 QT_QPA_PLATFORM=offscreen

"$python" packaging/third_party.py --check --texts build/licences
rm -rf "$work" "$out/honeyguide" "$out/Honeyguide.app"
"$python" -m PyInstaller --noconfirm --clean --log-level WARN --distpath "$out" --workpath "$work" packaging/honeyguide.spec
if [ "$(uname -s)" = Linux ]; then
    "$python" packaging/pyinstaller/finish.py "$out/honeyguide"
fi
