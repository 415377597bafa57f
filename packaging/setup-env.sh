#!/usr/bin/env bash
# Make the virtual environment VENV from the locked requirements, with the system libraries that Qt needs.
# usage: packaging/setup-env.sh VENV [LOCKFILE]      (set PYTHON to choose the interpreter)
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${1:?usage: packaging/setup-env.sh VENV [LOCKFILE]}
lock=${2:-requirements-dev.lock}

say() { printf '%s\n' "$*" >&2; }
stop() { say "honeyguide: $*"; exit 1; }
is_root() { [ "$(id -u)" = 0 ]; }
has_apt() { command -v apt-get >/dev/null 2>&1; }

python_is_right() { "$1" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1 && python_is_right "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    stop "Python 3.11, 3.12 or 3.13 was not found. Install it (Debian: apt-get install python3 python3-venv) or set PYTHON to its path."
}

apt_install() {
    say "honeyguide: installing system packages: $*"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# library file -> Debian package; found by running the window in a bare Debian root
qt_libraries="libEGL.so.1=libegl1 libGL.so.1=libgl1 libxkbcommon.so.0=libxkbcommon0 libdbus-1.so.3=libdbus-1-3
libfontconfig.so.1=libfontconfig1 libglib-2.0.so.0=libglib2.0-0 libgssapi_krb5.so.2=libgssapi-krb5-2"
if [ -n "${DISPLAY:-}" ]; then
    qt_libraries="$qt_libraries libxcb-cursor.so.0=libxcb-cursor0 libxcb-icccm.so.4=libxcb-icccm4
libxcb-keysyms.so.1=libxcb-keysyms1 libxkbcommon-x11.so.0=libxkbcommon-x11-0"
fi

need_qt_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    local known missing="" pair
    known=$( { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null || true)
    for pair in $qt_libraries; do
        case "$known" in *"${pair%%=*}"*) ;; *) missing="$missing ${pair##*=}" ;; esac
    done
    [ -z "$missing" ] && return 0
    # shellcheck disable=SC2086
    if is_root && has_apt; then apt_install $missing
    else stop "these system libraries are missing (Debian names):$missing. Install them and run this again."; fi
}

python=$(find_python)
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    if is_root && has_apt; then apt_install python3-venv
    else stop "Python's venv module is missing. Install it (Debian: apt-get install python3-venv) and run this again."; fi
fi
need_qt_libraries

[ -x "$venv/bin/python" ] && python_is_right "$venv/bin/python" || { rm -rf "$venv"; "$python" -m venv "$venv"; }
say "honeyguide: installing the locked packages into $venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r "$lock" 2> >(grep -v '^WARNING: Location' >&2)
if [ "$lock" = requirements-dev.lock ]; then
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . \
        2> >(grep -v '^WARNING: Location' >&2)
fi
