#!/usr/bin/env bash
# Build the macOS app and its disk image, on a Mac with Python 3.11 to 3.13. See packaging/README.md.
# usage: packaging/macos/build.sh
#   HONEYGUIDE_MACOS_IDENTITY    name of the "Developer ID Application" certificate in the key chain; without it the app
#                                is signed for this machine only, and others must confirm its first start
#   HONEYGUIDE_NOTARY_KEY        path of an App Store Connect key (.p8), with HONEYGUIDE_NOTARY_KEY_ID and
#   HONEYGUIDE_NOTARY_ISSUER     its id and issuer; without them nothing is notarised
set -euo pipefail
cd "$(dirname "$0")/../.."
say() { printf 'honeyguide: %s\n' "$*" >&2; }

bash packaging/setup-env.sh build/package-venv packaging/requirements-package.lock
python=$PWD/build/package-venv/bin/python
version=$(PYTHONPATH=src "$python" -c 'import honeyguide; print(honeyguide.__version__)')
bash packaging/freeze.sh "$python" build/frozen
app=$PWD/build/frozen/Honeyguide.app
"$python" packaging/pyinstaller/try_frozen.py "$app/Contents/MacOS/honeyguide"

identity=${HONEYGUIDE_MACOS_IDENTITY:-}
if [ -n "$identity" ]; then
    codesign --force --deep --options runtime --timestamp --sign "$identity" \
        --entitlements packaging/macos/entitlements.plist "$app"
else
    say "warning: HONEYGUIDE_MACOS_IDENTITY is not set, the app is signed for this machine only"
    codesign --force --deep --sign - "$app"
fi
codesign --verify --deep --strict "$app"

mkdir -p dist
image=dist/honeyguide-$version-$(uname -m).dmg
rm -f "$image"
HONEYGUIDE_APP=$app HONEYGUIDE_ROOT=$PWD "$python" -m dmgbuild -s packaging/macos/dmg_settings.py "Honeyguide $version" "$image"
[ -z "$identity" ] || codesign --force --timestamp --sign "$identity" "$image"

if [ -n "$identity" ] && [ -n "${HONEYGUIDE_NOTARY_KEY:-}" ]; then
    xcrun notarytool submit "$image" --wait --key "$HONEYGUIDE_NOTARY_KEY" \
        --key-id "${HONEYGUIDE_NOTARY_KEY_ID:?}" --issuer "${HONEYGUIDE_NOTARY_ISSUER:?}"
    xcrun stapler staple "$image"
else
    say "warning: HONEYGUIDE_NOTARY_KEY is not set (or nothing was signed), the image is not notarised"
fi
bash packaging/setup-env.sh build/sbom-venv packaging/requirements-sbom.lock
HONEYGUIDE_SBOM_PYTHON=$PWD/build/sbom-venv/bin/python "$python" packaging/sbom.py "dist/honeyguide-$version-macos-$(uname -m).cdx.json"
(cd dist && shasum -a 256 honeyguide* >"SHA256SUMS-macos-$(uname -m)")
ls -l dist >&2
