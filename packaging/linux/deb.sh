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
    echo " -- ${HONEYGUIDE_MAINTAINER:=The Honeyguide project <packages@honeyguide.org>}  $(date -u -R -d "@${SOURCE_DATE_EPOCH:?}")"
} | gzip -9n >"$doc/changelog.Debian.gz"
install -D -m 644 "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/honeyguide"

# What the system must have: read from the files; what is in the package itself is not asked for.
depends() {
    local work folders=() folder
    work=$(mktemp -d)
    mkdir "$work/debian"
    printf 'Source: honeyguide\n\nPackage: honeyguide\nArchitecture: any\n' >"$work/debian/control"
    while read -r folder; do folders+=("-l$folder"); done < <("$python" "$here/needs.py" folders "$tree")
    (cd "$work" && "$python" "$here/needs.py" files "$tree" |
        xargs dpkg-shlibdeps -O --ignore-missing-info --warnings=0 "${folders[@]}" 2>"$work/said" |
        sed -n 's/^shlibs:Depends=//p') || { cat "$work/said" >&2; exit 1; }
    rm -rf "$work"
}
needed=$(depends)
for opened in libegl1 libgl1 libdbus-1-3; do # opened by Qt at run time, named in no file
    case ", $needed," in *", $opened"[\ ,]*) ;; *) needed="$needed, $opened" ;; esac
done
# Debian 13 and Ubuntu 24.04 renamed the libraries of the 64-bit time change.
needed=$(sed -E 's/\b(libglib2\.0-0)( \([^)]*\))?/\1\2 | \1t64/' <<<"$needed")

mkdir -p "$tree/DEBIAN"
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: honeyguide
Version: $version
Architecture: $architecture
Maintainer: $HONEYGUIDE_MAINTAINER
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
