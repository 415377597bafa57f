#!/usr/bin/env bash
# Lay the frozen program out as the file tree that .deb and .rpm install.
# usage: packaging/linux/stage.sh FROZEN STAGE      (SOURCE_DATE_EPOCH gives the time of every file)
set -euo pipefail
cd "$(dirname "$0")/../.."
frozen=${1:?usage: packaging/linux/stage.sh FROZEN STAGE}
stage=${2:?usage: packaging/linux/stage.sh FROZEN STAGE}
share=$stage/usr/share

rm -rf "$stage"
mkdir -p "$stage/usr/lib" "$stage/usr/bin"
cp -a "$frozen" "$stage/usr/lib/honeyguide"
ln -s ../lib/honeyguide/honeyguide "$stage/usr/bin/honeyguide"

put() { install -D -m 644 "$1" "$2"; }
put resources/desktop/honeyguide.desktop "$share/applications/honeyguide.desktop"
put resources/desktop/honeyguide-review.desktop "$share/applications/honeyguide-review.desktop"
put resources/desktop/org.honeyguide.Honeyguide.metainfo.xml "$share/metainfo/org.honeyguide.Honeyguide.metainfo.xml"
put resources/desktop/honeyguide-mime.xml "$share/mime/packages/honeyguide.xml"
put resources/icons/app/honeyguide.svg "$share/icons/hicolor/scalable/apps/honeyguide.svg"
for size in 16 22 24 32 48 64 128 256 512; do
    put "resources/icons/app/honeyguide-$size.png" "$share/icons/hicolor/${size}x$size/apps/honeyguide.png"
done
put resources/desktop/honeyguide.1 "$share/man/man1/honeyguide.1"
gzip -9n "$share/man/man1/honeyguide.1"
put packaging/linux/copyright "$share/doc/honeyguide/copyright"

find "$stage" -type d -exec chmod 755 {} +
find "$stage" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:?}" {} +
