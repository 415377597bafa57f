# Everything runs in .venv, made from the locked requirements; each target does the set-up it needs.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
export QT_QPA_PLATFORM ?= $(if $(DISPLAY)$(WAYLAND_DISPLAY),,offscreen)

.PHONY: demo run test lint format soak soak-sample bench package screenshots lock clean

$(STAMP): requirements.lock requirements-dev.lock pyproject.toml packaging/setup-env.sh
	@bash packaging/setup-env.sh $(VENV)
	@touch $@

demo: $(STAMP)
	@$(BIN)/honeyguide demo

run: $(STAMP)
	@$(BIN)/honeyguide

test: $(STAMP)
	$(BIN)/python -m pytest -n auto

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

soak-sample: $(STAMP)
	HONEYGUIDE_SOAK=sample $(BIN)/python -m pytest -m soak --timeout=900 -q

soak: $(STAMP)
	$(BIN)/python -m pytest -m soak --timeout=1800

bench: $(STAMP)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r benchmarks/requirements.lock \
		|| echo "gepa could not be installed; the tables hold Honeyguide's search alone."
	@$(BIN)/python -m benchmarks

package: $(STAMP)
	@bash packaging/build.sh

screenshots: $(STAMP)
	@$(BIN)/python -m honeyguide.desktop.screenshots build/screenshots docs/images

# The locks are universal: markers for three systems and Python 3.11 to 3.13, hashes, no index line.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		-o requirements.lock pyproject.toml
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		--group dev -c requirements.lock -o requirements-dev.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
