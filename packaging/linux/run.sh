#!/usr/bin/env bash
# Make the self-extracting .run, which installs for one person and needs no root.
# usage: packaging/linux/run.sh FROZEN VERSION OUT      (prints the path of the program)
set -euo pipefail
cd "$(dirname "$0")/../.."
frozen=$(realpath "${1:?usage: packaging/linux/run.sh FROZEN VERSION OUT}")
version=${2:?usage: packaging/linux/run.sh FROZEN VERSION OUT}
out=$(realpath "${3:?usage: packaging/linux/run.sh FROZEN VERSION OUT}")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
cp -a "$frozen" "$tree/honeyguide"
install -m 755 packaging/linux/install-for-me.sh "$tree/install.sh"
find "$tree" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:?}" {} +
program=$out/honeyguide-$version-$(uname -m).run
makeself --quiet --gzip --complevel 6 --sha256 --nox11 --nochown --packaging-date "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" \
    --tar-format gnu --tar-extra "--sort=name --owner=0 --group=0 --numeric-owner --mtime=@$SOURCE_DATE_EPOCH" \
    "$tree" "$program" "Honeyguide $version" ./install.sh >/dev/null
echo "$program"
