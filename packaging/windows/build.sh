#!/usr/bin/env bash
# Build the Windows installer, in Git's shell on a Windows machine with Python and NSIS. See packaging/README.md.
# usage: packaging/windows/build.sh
#   HONEYGUIDE_WINDOWS_SIGN   a command that signs the file given as its last argument, for example
#                             'signtool sign /fd sha256 /tr http://… /td sha256 /dlib … /dmdf …'; without it, nothing
#                             is signed and Windows warns at the first start
set -euo pipefail
cd "$(dirname "$0")/../.."
say() { printf 'honeyguide: %s\n' "$*" >&2; }
makensis=$(command -v makensis || echo "/c/Program Files (x86)/NSIS/makensis.exe")
[ -x "$makensis" ] || { say "NSIS is missing: install it and run this again"; exit 1; }

sign() {
    if [ -n "${HONEYGUIDE_WINDOWS_SIGN:-}" ]; then $HONEYGUIDE_WINDOWS_SIGN "$1"; fi
}
[ -n "${HONEYGUIDE_WINDOWS_SIGN:-}" ] || say "warning: HONEYGUIDE_WINDOWS_SIGN is not set, nothing is signed"

venv=build/package-venv
[ -x "$venv/Scripts/python.exe" ] || "${PYTHON:-python}" -m venv "$venv"
python=$PWD/$venv/Scripts/python.exe
"$python" -m pip install -q --disable-pip-version-check --require-hashes -r packaging/requirements-package.lock
version=$(PYTHONPATH=src "$python" -c 'import honeyguide; print(honeyguide.__version__)')
version4=$(PYTHONPATH=packaging "$python" -c "
from windows.version_resource import numbers
print('.'.join(map(str, numbers('$version'))))")

bash packaging/freeze.sh "$python" build/frozen
frozen=build/frozen/honeyguide
"$python" packaging/pyinstaller/try_frozen.py "$frozen/honeyguide.exe"
sign "$frozen/honeyguide.exe"
sign "$frozen/honeyguide-window.exe"

mkdir -p dist build/windows
nsis() { "$makensis" -V2 -INPUTCHARSET UTF8 "-DVERSION=$version" "-DVERSION4=$version4" "-DSOURCE=$(cygpath -w "$frozen")" "$@"; }
setup=dist/honeyguide-$version-setup.exe
signed=()
if [ -n "${HONEYGUIDE_WINDOWS_SIGN:-}" ]; then
    nsis "-DOUTPUT=$(cygpath -w "$PWD/build/windows/writer.exe")" -DWRITE_UNINSTALLER packaging/windows/honeyguide.nsi
    build/windows/writer.exe
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -f build/windows/uninstall.exe ] && break; sleep 1; done
    sign build/windows/uninstall.exe
    signed=("-DUNINSTALLER=$(cygpath -w "$PWD/build/windows/uninstall.exe")")
fi
nsis "-DOUTPUT=$(cygpath -w "$PWD/$setup")" ${signed[@]+"${signed[@]}"} packaging/windows/honeyguide.nsi
sign "$setup"
sbom=build/sbom-venv
[ -x "$sbom/Scripts/python.exe" ] || "${PYTHON:-python}" -m venv "$sbom"
"$sbom/Scripts/python.exe" -m pip install -q --disable-pip-version-check --require-hashes -r packaging/requirements-sbom.lock
HONEYGUIDE_SBOM_PYTHON=$PWD/$sbom/Scripts/python.exe "$python" packaging/sbom.py "dist/honeyguide-$version-windows.cdx.json"
(cd dist && sha256sum honeyguide* >SHA256SUMS-windows)
ls -l dist >&2
