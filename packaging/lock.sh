#!/usr/bin/env bash
# Make the locks of the packaging environments anew; run it after `make lock`. Needs uv.
# usage: packaging/lock.sh
set -euo pipefail
cd "$(dirname "$0")/.."
compile() {
    uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q "$@"
}
compile --extra local -c requirements.lock -o packaging/requirements-package.lock pyproject.toml packaging/requirements-package.in
compile -o packaging/requirements-sbom.lock packaging/requirements-sbom.in
