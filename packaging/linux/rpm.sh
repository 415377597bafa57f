#!/usr/bin/env bash
# Make the .rpm from a staged tree.
# usage: packaging/linux/rpm.sh STAGE VERSION OUT      (prints the path of the package)
set -euo pipefail
cd "$(dirname "$0")/../.."
stage=$(realpath "${1:?usage: packaging/linux/rpm.sh STAGE VERSION OUT}")
version=${2:?usage: packaging/linux/rpm.sh STAGE VERSION OUT}
out=$(realpath "${3:?usage: packaging/linux/rpm.sh STAGE VERSION OUT}")
here=$PWD/packaging/linux
python=${PYTHON:-python3}
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

{
    cat <<SPEC
Name: honeyguide
Version: $version
Release: 1
Summary: Improves the prompts that drive AI agents, with proof
License: Apache-2.0 AND LGPL-3.0-only AND MIT AND BSD-3-Clause AND PSF-2.0
AutoReqProv: no
$("$python" "$here/needs.py" rpm "$stage" | sed 's/^/Requires: /')

%description
Honeyguide reads what an agent really did, finds what went wrong, searches for
a better prompt, proves the change on cases the search never saw, and then
waits. A person looks at the change and its evidence, accepts or rejects it,
and can always go back.

%install
cp -a "$stage/." %{buildroot}/

%files
%defattr(-,root,root,-)
/usr/bin/honeyguide
/usr/lib/honeyguide
SPEC
    (cd "$stage" && find usr/share -type f ! -path '*/man/*' | LC_ALL=C sort | sed 's|^|/|')
    echo '/usr/share/man/man1/honeyguide.1*'
} >"$top/honeyguide.spec"

rpmbuild -bb --quiet \
    --define "_topdir $top" --define "_build_id_links none" --define "debug_package %{nil}" \
    --define "__os_install_post %{nil}" --define "_binary_payload w9.zstdio" --define "_buildhost honeyguide" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    "$top/honeyguide.spec"
package=$(find "$top/RPMS" -name '*.rpm')
cp "$package" "$out/"
echo "$out/$(basename "$package")"
