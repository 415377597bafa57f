#!/usr/bin/env bash
# Install the .deb in a clean minimal Debian, use it as an ordinary user, upgrade it, remove it; then the .run the same.
# usage: packaging/test-install.sh [PACKAGE.deb]      (dist/honeyguide_*.deb by default; needs root)
#   HONEYGUIDE_PREVIOUS_DEB   the package to upgrade from; by default the same program under an older version number
#   HONEYGUIDE_TEST_SUITE     the release to test on (default: that of this machine)
#   HONEYGUIDE_TEST_ROOT      where the small system is built (default: build/test-root); it is removed afterwards
#   HONEYGUIDE_TEST_SECONDS   stop after this time (default 1200)
set -euo pipefail
if [ -z "${HONEYGUIDE_TEST_TIMED:-}" ]; then
    HONEYGUIDE_TEST_TIMED=1 exec timeout --kill-after=30 "${HONEYGUIDE_TEST_SECONDS:-1200}" bash "$0" "$@"
fi
cd "$(dirname "$0")/.."
say() { printf 'honeyguide: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }
[ "$(id -u)" = 0 ] || stop "this test builds a small system and needs root"
command -v apt-get >/dev/null 2>&1 || stop "this test needs Debian's apt"

missing=""
for pair in debootstrap=debootstrap dpkg-deb=dpkg unshare=util-linux; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair##*=}"
done
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing="$missing debian-archive-keyring"
if [ -n "$missing" ]; then
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

deb=$(realpath "${1:-$(echo dist/honeyguide_*.deb)}")
[ -f "$deb" ] || stop "$deb does not exist: run make package"
run=$(find dist -maxdepth 1 -name "honeyguide-*-$(uname -m).run" | head -1)
root=$(realpath -m "${HONEYGUIDE_TEST_ROOT:-build/test-root}")
suite=${HONEYGUIDE_TEST_SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")}

# The mirror that this machine itself uses.
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$suite" '$2 == suite { print $1; exit }')
[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(SITE) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 == "Debian" { print $1; exit }')
[ -n "$mirror" ] || stop "no Debian mirror in this machine's apt sources"

work=$(mktemp -d)
cleanup() {
    umount -q "$root/proc" "$root/dev/pts" 2>/dev/null || true
    rm -rf --one-file-system "$root" "$work"
}
trap cleanup EXIT

say "building a minimal $suite system"
rm -rf --one-file-system "$root"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -5 "$work/debootstrap.log" >&2; stop "debootstrap failed"; }
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service is started here
chmod 755 "$root/usr/sbin/policy-rc.d"
cp /etc/hosts "$root/etc/hosts"
# the way to the mirror, where this machine has a special one
apt-config dump | grep -E '^Acquire::(http|https|ftp|Check)' >"$root/etc/apt/apt.conf.d/99the-way-to-the-mirror" || true

previous=${HONEYGUIDE_PREVIOUS_DEB:-}
if [ -z "$previous" ]; then # no earlier release at hand: the same program, older by its number
    dpkg-deb -R "$deb" "$work/older"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$work/older/DEBIAN/control"
    previous=$work/honeyguide_0.0.1.deb
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/older" "$previous" >/dev/null
    rm -rf "$work/older"
fi
cp "$previous" "$root/tmp/previous.deb"
cp "$deb" "$root/tmp/new.deb"
[ -z "$run" ] || cp "$run" "$root/tmp/honeyguide.run"
cp packaging/linux/inside.sh "$root/tmp/inside.sh"

say "installing, using, upgrading and removing it there"
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
    unshare --mount --pid --fork --kill-child chroot "$root" /bin/bash /tmp/inside.sh
say "the packages install, work, upgrade and go away cleanly"
