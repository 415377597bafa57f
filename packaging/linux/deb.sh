#!/usr/bin/env bash
# Make the .deb from a staged tree.
# usage: packaging/linux/deb.sh STAGE VERSION OUT      (prints the path of the package)
set -euo pipefail
cd "$(dirname "$0")/../.."
stage=$(realpath "${1:?usage: packaging/linux/deb.sh STAGE VERSION OUT}")
version=${2:?usage: packaging/linux/deb.sh STAGE VERSION OUT}
out=$(realpath "${3:?usage: packaging/linux/deb.sh STAGE VERSION OUT}")
here=$PWD/packaging/linux
python=${PYTHON:-python3}
maintainer=${HONEYGUIDE_MAINTAINER:-The Honeyguide project <packages@honeyguide.org>}
architecture=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
cp -a "$stage/." "$tree/"

doc=$tree/usr/share/doc/honeyguide
{
    echo "honeyguide ($version) unstable; urgency=medium"
    echo
    echo "  * See the release notes of this version."
    echo
    echo " -- $maintainer  $(date -u -R -d "@${SOURCE_DATE_EPOCH:?}")"
} | gzip -9n >"$doc/changelog.gz"
install -D -m 644 "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/honeyguide"

mkdir -p "$tree/DEBIAN"
# Packages of this system whose libraries are in the tree themselves: nothing is asked of them.
own_copies() {
    local path
    find "$tree/usr/lib/honeyguide/_internal" -maxdepth 1 -name 'lib*.so.*' -printf '%f\n' | while read -r path; do
        for path in {/usr,}/lib/*-linux-gnu/"$path"; do
            [ ! -e "$path" ] || dpkg -S "$path" "$(realpath "$path")" 2>/dev/null || true
        done
    done | cut -d: -f1 | sort -u
}

# What the system must have: read from the files; what is in the package itself is not asked for.
depends() {
    local work options=() option
    work=$(mktemp -d)
    mkdir "$work/debian"
    printf 'Source: honeyguide\n\nPackage: honeyguide\nArchitecture: any\n' >"$work/debian/control"
    while read -r option; do options+=("-x$option"); done < <(own_copies)
    while read -r option; do options+=("-l$option"); done < <("$python" "$here/needs.py" folders "$tree")
    (cd "$work" && "$python" "$here/needs.py" files "$tree" |
        xargs -x -n 5000 dpkg-shlibdeps -O --ignore-missing-info "${options[@]}" 2>"$work/said" |
        sed -n 's/^shlibs:Depends=//p') || { grep -v warning: "$work/said" >&2; exit 1; }
    rm -rf "$work"
}
needed=$(depends)
for opened in libegl1 libgl1 libdbus-1-3; do # opened by Qt at run time, named in no file
    case ", $needed," in *", $opened"[\ ,]*) ;; *) needed="$needed, $opened" ;; esac
done
# What this release's package says is stricter than what the file needs, and Ubuntu 22.04 has an older one.
needed=$(sed -E 's/\blibx11-xcb1 \([^)]*\)/libx11-xcb1/' <<<"$needed")
# Debian 13 and Ubuntu 24.04 renamed the libraries of the 64-bit time change.
needed=$(sed -E 's/\b(libglib2\.0-0)( \([^)]*\))?/\1\2 | \1t64/' <<<"$needed")

(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: honeyguide
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$tree/usr" | cut -f1)
Depends: $needed
Recommends: gnome-keyring | kwalletmanager | keepassxc, xdg-utils, xdg-desktop-portal
Section: devel
Priority: optional
Description: improves the prompts that drive AI agents, with proof
 Honeyguide reads what an agent really did, finds what went wrong, searches for
 a better prompt, proves the change on cases the search never saw, and then
 waits. A person looks at the change and its evidence, accepts or rejects it,
 and can always go back.
 .
 It starts without an account and without a model, and opens no connection that
 the person did not set up.
CONTROL
chmod 644 "$tree"/DEBIAN/*
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$out/honeyguide_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz -z6 --build "$tree" "$package" >/dev/null
echo "$package"
