#!/usr/bin/env bash
# Build the wheel, install it with the locked requirements in a clean environment, and run it from there.
# usage: packaging/test-wheel.sh WORK_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
work=${1:?usage: packaging/test-wheel.sh WORK_FOLDER}
.venv/bin/python -m build --wheel --no-isolation --outdir "$work/dist" . >/dev/null
bash packaging/setup-env.sh "$work/venv" requirements.lock
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps "$work"/dist/honeyguide-*.whl \
    2> >(grep -v '^WARNING: Location' >&2)
cd "$work"
export HONEYGUIDE_WORKSPACE="$work/workspace" XDG_DATA_HOME="$work/data" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config"
venv/bin/honeyguide --version
venv/bin/honeyguide doctor
venv/bin/honeyguide demo --dir "$work/demo"
