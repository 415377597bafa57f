#!/bin/bash
# The part of packaging/test-install.sh that runs as root inside the minimal system. Not for use elsewhere.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
begin=$SECONDS
step() { printf '== %s (%s s)\n' "$*" "$((SECONDS - begin))"; }
stop() { printf 'FAILED: %s\n' "$*"; exit 1; }
mount -t proc proc /proc 2>/dev/null || true
mount -t devpts devpts /dev/pts 2>/dev/null || true
mkdir -p /dev/shm && chmod 1777 /dev/shm

as_user() { # a fresh login of an ordinary user, with a screen
    runuser -u ann -- env -i HOME=/home/ann USER=ann LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin DISPLAY=:7 "$@"
}
fingerprint() { (cd /home/ann/workspace && find . -type f ! -name '*.db*' -print0 | sort -z | xargs -0 sha256sum); }

step "dpkg alone says what is missing"
if dpkg -i /tmp/previous.deb >/dev/null 2>&1; then stop "it installed without its libraries in a minimal system"; fi
dpkg --purge honeyguide >/dev/null 2>&1

step "apt installs the previous version with what it depends on"
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/previous.deb >/dev/null
dpkg-query -W -f '${Package} ${Version} ${Status}\n' honeyguide
before_tools=$(dpkg-query -W -f '${Package}\n' | wc -l)
echo "packages in the system: $before_tools"
unresolved=$(find /usr/lib/honeyguide -name '*.so*' -type f -exec env LD_LIBRARY_PATH=/usr/lib/honeyguide/_internal ldd {} + 2>/dev/null |
    awk '/not found/ { print $1 }' | sort -u)
[ -z "$unresolved" ] || stop "libraries that are not found: $unresolved"

step "an ordinary user starts it, before any X server is installed"
useradd -m ann
[ "$(as_user honeyguide --version | cut -d' ' -f1)" = honeyguide ] || stop "no version"
as_user honeyguide init /home/ann/workspace --sample >/dev/null
as_user env QT_QPA_PLATFORM=offscreen honeyguide --workspace /home/ann/workspace --smoke

step "with a screen"
apt-get install -y -qq --no-install-recommends xvfb >/dev/null
runuser -u ann -- Xvfb :7 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
for _ in $(seq 50); do [ -e /tmp/.X11-unix/X7 ] && break; sleep 0.2; done
as_user env QT_QPA_PLATFORM=xcb honeyguide --workspace /home/ann/workspace --smoke

step "the upgrade keeps the workspace"
kept=$(fingerprint)
rows=$(as_user honeyguide --workspace /home/ann/workspace traces list --json | grep -m1 '"total"')
apt-get install -y -qq --no-install-recommends /tmp/new.deb >/dev/null
dpkg-query -W -f '${Package} ${Version} ${Status}\n' honeyguide
[ "$(fingerprint)" = "$kept" ] || stop "the upgrade touched the workspace"
[ "$(as_user honeyguide --workspace /home/ann/workspace traces list --json | grep -m1 '"total"')" = "$rows" ] || stop "traces are lost"
as_user env QT_QPA_PLATFORM=xcb honeyguide --workspace /home/ann/workspace --smoke

step "the demo"
as_user env QT_QPA_PLATFORM=offscreen DISPLAY= honeyguide demo --dir /home/ann/demo >/home/ann/demo.log 2>&1 ||
    { tail -20 /home/ann/demo.log; stop "the demo failed"; }
ls /home/ann/demo

step "menu entry, icon, type of file, manual page"
for file in applications/honeyguide.desktop applications/honeyguide-review.desktop mime/packages/honeyguide.xml \
    icons/hicolor/48x48/apps/honeyguide.png metainfo/org.honeyguide.Honeyguide.metainfo.xml; do
    [ -f "/usr/share/$file" ] || stop "$file is missing"
done
listed=$(dpkg -L honeyguide)
case "$listed" in */man1/honeyguide.1.gz*) ;; *) stop "no manual page" ;; esac

step "removal leaves the person's data alone"
kept=$(fingerprint)
apt-get purge -y -qq honeyguide >/dev/null
[ ! -e /usr/lib/honeyguide ] && [ ! -e /usr/bin/honeyguide ] || stop "the program is still there"
left=$(find / -xdev -path /proc -prune -o -name '*honeyguide*' ! -path '/home/*' ! -path '/tmp/*' -print 2>/dev/null)
[ -z "$left" ] || stop "left behind: $left"
[ "$(fingerprint)" = "$kept" ] || stop "the removal touched the workspace"

if [ -f /tmp/honeyguide.run ]; then
    step "the .run installs for one person, without root"
    chmod 644 /tmp/honeyguide.run
    as_user sh /tmp/honeyguide.run --quiet
    as_user /home/ann/.local/bin/honeyguide --version
    [ -f /home/ann/.local/share/applications/honeyguide.desktop ] || stop "no menu entry"
    grep -q '^Exec=/home/ann/.local/lib/honeyguide/honeyguide$' /home/ann/.local/share/applications/honeyguide.desktop || stop "wrong entry"
    as_user env QT_QPA_PLATFORM=xcb /home/ann/.local/bin/honeyguide --workspace /home/ann/workspace --smoke
    as_user sh /tmp/honeyguide.run --quiet # over itself
    as_user sh /home/ann/.local/lib/honeyguide/install.sh --remove
    left=$(find /home/ann/.local -name '*honeyguide*' ! -path '/home/ann/.local/share/honeyguide*' ! -path '/home/ann/.local/state/*')
    [ -z "$left" ] || stop "left behind: $left"
    [ -d /home/ann/workspace ] || stop "the workspace is gone"
fi
step "done"
