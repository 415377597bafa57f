#!/usr/bin/env bash
# Build, check and measure the installers that this system can build; they end up in dist/.
# usage: packaging/build.sh
#   HONEYGUIDE_FORMATS           what to build on Linux: "deb rpm run" (default), or some of them
#   HONEYGUIDE_FROZEN            a frozen folder to use instead of freezing anew
#   HONEYGUIDE_PACKAGE_SECONDS   stop after this time (default 1500)
set -euo pipefail
if [ -z "${HONEYGUIDE_PACKAGE_TIMED:-}" ] && command -v timeout >/dev/null 2>&1; then
    HONEYGUIDE_PACKAGE_TIMED=1 exec timeout --kill-after=20 "${HONEYGUIDE_PACKAGE_SECONDS:-1500}" bash "$0" "$@"
fi
cd "$(dirname "$0")/.."
formats=${HONEYGUIDE_FORMATS:-deb rpm run}
largest_deb=90000000       # bytes
largest_installed=300000   # KiB
say() { printf 'honeyguide: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }
timed() { local begin=$SECONDS name=$1; shift; "$@"; say "$name took $((SECONDS - begin)) s"; }

case "$(uname -s)" in
Linux) ;;
Darwin) exec bash packaging/macos/build.sh ;;
*) exec bash packaging/windows/build.sh ;;
esac

# program or library -> Debian package that brings it; the libraries go into the program
tools="strip=binutils readelf=binutils chrpath=chrpath dpkg-deb=dpkg dpkg-shlibdeps=dpkg-dev desktop-file-validate=desktop-file-utils appstreamcli=appstream"
tools="$tools $(sed -nE 's/^(ships|needs) ([^ ]+) ([^ ]+)$/\2=\3/p' packaging/linux/libraries.txt | tr '\n' ' ')"
case " $formats " in *" deb "*) tools="$tools lintian=lintian" ;; esac
case " $formats " in *" rpm "*) tools="$tools rpmbuild=rpm" ;; esac
case " $formats " in *" run "*) tools="$tools makeself=makeself" ;; esac
missing=""
libraries=$( { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null)
for pair in $tools; do
    case "${pair%%=*}" in
    *.so.*) case "$libraries" in *"${pair%%=*}"*) ;; *) missing="$missing ${pair##*=}" ;; esac ;;
    *) command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair##*=}" ;;
    esac
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "installing tools:$missing"
        apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    else
        stop "these tools are missing (Debian names):$missing. Install them and run this again."
    fi
fi

venv=build/package-venv
timed "the packaging environment" bash packaging/setup-env.sh "$venv" packaging/requirements-package.lock
export PYTHON=$PWD/$venv/bin/python
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1767225600)}
export SOURCE_DATE_EPOCH
version=$(PYTHONPATH=src "$PYTHON" -c 'import honeyguide; print(honeyguide.__version__)')

desktop-file-validate resources/desktop/*.desktop
appstreamcli validate --no-net resources/desktop/*.metainfo.xml >/dev/null || stop "the AppStream file is not valid"
"$PYTHON" packaging/icons.py --check || stop "the icons are not those of the SVG: run packaging/icons.py"

frozen=${HONEYGUIDE_FROZEN:-}
if [ -z "$frozen" ]; then
    timed "freezing" bash packaging/freeze.sh "$PYTHON" build/frozen
    frozen=build/frozen/honeyguide
fi
timed "trying the frozen program" "$PYTHON" packaging/pyinstaller/try_frozen.py "$frozen/honeyguide"

stage=build/stage
bash packaging/linux/stage.sh "$frozen" "$stage"
mkdir -p dist
rm -f dist/honeyguide_* dist/honeyguide-*.rpm dist/honeyguide-*.run dist/honeyguide-*.cdx.json dist/SHA256SUMS
for format in $formats; do
    source=$stage
    [ "$format" != run ] || source=$frozen
    timed "the .$format" bash "packaging/linux/$format.sh" "$source" "$version" dist
done
PYTHON='' bash packaging/setup-env.sh build/sbom-venv packaging/requirements-sbom.lock
HONEYGUIDE_SBOM_PYTHON=$PWD/build/sbom-venv/bin/python "$PYTHON" packaging/sbom.py "dist/honeyguide-$version.cdx.json"

case " $formats " in *" deb "*)
    deb=$(echo dist/honeyguide_*.deb)
    timed "lintian" lintian --fail-on error "$deb"
    [ "$(stat -c %s "$deb")" -lt $largest_deb ] || stop "the .deb is larger than $largest_deb bytes"
    installed=$(dpkg-deb --field "$deb" Installed-Size)
    [ "$installed" -lt $largest_installed ] || stop "the .deb installs $installed KiB, more than $largest_installed"
    say "installed size: $installed KiB"
    ;;
esac
(cd dist && sha256sum honeyguide* >SHA256SUMS)
ls -l dist >&2
