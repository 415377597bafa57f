#!/bin/sh
# Install Honeyguide for the person who runs this: program, menu entry, icon, type of file. No root, no network.
# usage: sh honeyguide-VERSION.run [-- --prefix DIR] [-- --remove]      DIR is ~/.local by default
# Workspaces are never touched.
set -eu

prefix=${HOME:?}/.local
action=install
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=${2:?--prefix needs a folder} && shift 2 ;;
    --prefix=*) prefix=${1#--prefix=} && shift ;;
    --remove) action=remove && shift ;;
    *) echo "honeyguide: unknown option $1 (known: --prefix DIR, --remove)" >&2 && exit 2 ;;
    esac
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
home=$prefix/lib/honeyguide
link=$prefix/bin/honeyguide

remove() {
    if [ -x "$home/honeyguide" ]; then
        "$home/honeyguide" desktop-entry remove >/dev/null 2>&1 || echo "honeyguide: the menu entry could not be removed" >&2
    fi
    if [ -L "$link" ] && [ "$(readlink "$link")" = "$home/honeyguide" ]; then rm "$link"; fi
    rm -rf "$home" "$home.new" "$home.old"
}

if [ "$action" = remove ]; then
    remove
    echo "Honeyguide is removed. Workspaces and settings are still there."
    exit 0
fi

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$prefix/lib" "$prefix/bin"
if [ -e "$link" ] && [ ! -L "$link" ]; then
    echo "honeyguide: $link is a file of somebody else's; move it away and run this again" >&2
    exit 1
fi
# The new folder stands complete beside the old one before they change places.
rm -rf "$home.new" "$home.old"
cp -R "$here/honeyguide" "$home.new"
if ! said=$("$home.new/honeyguide" --version 2>&1); then
    rm -rf "$home.new"
    echo "honeyguide: the program does not start on this system, nothing was changed:" >&2
    echo "$said" >&2
    exit 1
fi
cp "$here/install.sh" "$home.new/install.sh"
if [ -e "$home" ]; then mv "$home" "$home.old"; fi
mv "$home.new" "$home"
rm -rf "$home.old"
ln -sf "$home/honeyguide" "$link"
"$home/honeyguide" desktop-entry install >/dev/null || echo "honeyguide: the menu entry could not be made" >&2

echo "$said is installed in $home."
case ":$PATH:" in
*":$prefix/bin:"*) echo "Start it from the menu, or type: honeyguide" ;;
*) echo "Start it from the menu, or type: $link" ;;
esac
echo "To remove it: sh $home/install.sh --remove$([ "$prefix" = "$HOME/.local" ] || echo " --prefix $prefix")"
