# Two commands to begin with: `make demo` and `make test`. Both set up .venv first; a second run skips that.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# CI and the demo compile into the checkout's own environment, so that a fresh clone starts cold.
export SHOAL_CACHE_DIR ?= $(CURDIR)/$(VENV)/kernels

.PHONY: attacks browser postgres java demo test test-spark test-deep forgeries lint types wheel bench bench-quick bench-compare docs constraints screenshot clean help \
  faults mutants trust sbom audit trust-tools fuzz test-oldest test-matrix release-check

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 14

demo: $(READY)  ## anonymize a generated hospital table, end to end, into demo/
	$(BIN)/shoal demo --out demo

SPARK_TESTS := tests/engines/spark tests/certify/spark

test: $(READY) browser postgres java  ## everything that must hold: style, types, tests, the wheel in a clean environment
	$(MAKE) -j 2 -O lint test-spark types wheel
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not deep" $(SPARK_TESTS:%=--ignore=%)

test-spark: $(READY) java  ## the quick tests of Spark, in one process: its cluster starts once
	$(BIN)/python -m pytest -q -m "not deep" $(SPARK_TESTS)

browser:  ## chromium for the tests that measure pages, where it is missing and may be installed; without it they are skipped
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || timeout 300 apt-get install -y -qq chromium >/dev/null || true

postgres:  ## a PostgreSQL server for the tests of databases, where it is missing and may be installed; without it they are skipped
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || timeout 300 apt-get install -y -qq postgresql >/dev/null || true

java:  ## a Java for the tests of Spark, where it is missing and may be installed; without it they are skipped
	@command -v java >/dev/null || [ -n "$$JAVA_HOME" ] || \
	[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || timeout 300 apt-get install -y -qq openjdk-17-jre-headless >/dev/null || true

test-deep: $(READY)  ## the long part of the guarantees' tests
	SHOAL_TESTS=deep $(BIN)/python -m pytest -n 2 --dist worksteal -v --durations=40 tests/ratio tests/checks tests/partition tests/certify tests/requirements tests/attacks tests/papers tests/endtoend tests/fuzz tests/faults tests/tables tests/api tests/engines
	SHOAL_TESTS=deep $(BIN)/python -m pytest -n 2 --dist worksteal -v --durations=40 -m deep tests/corpus tests/roles tests/sequence tests/web

test-oldest: $(READY)  ## the quick tests with every dependency at its lower bound, in an environment of its own
	$(BIN)/python scripts/matrix.py --python this --dependencies oldest

test-matrix: $(READY)  ## the quick tests on every Python found here, with the oldest and the newest dependencies (an hour or two)
	$(BIN)/python scripts/matrix.py

release-check: $(READY)  ## what must hold before a release: version, changelog, wheel, source distribution, docs, licenses
	$(BIN)/python scripts/release_check.py

lint: $(READY)  ## ruff: style and format
	$(BIN)/ruff check src tests benchmarks scripts docs/snippets
	$(BIN)/ruff format --check -q src tests benchmarks scripts docs/snippets

types: $(READY)  ## mypy, strict, on src
	$(BIN)/mypy

attacks: $(READY)  ## every attacker of tests/attacks on larger tables; writes docs/evidence/attacks.json
	$(BIN)/python -m tests.attacks

wheel: $(READY)  ## build the wheel and run the command line from it
	$(BIN)/python scripts/check_wheel.py

bench: $(READY)  ## Shoal beside its peers, how it grows, where its time goes; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks --page

bench-quick: $(READY)  ## the same on smaller inputs, under ten minutes
	$(BIN)/python -m benchmarks --quick --page

bench-compare: $(READY)  ## this commit beside REV: steps timed by pytest-benchmark, and what was kept
	$(BIN)/python -m benchmarks compare $(REV)

docs: $(READY)  ## regenerate the command reference, the tables of guarantees and of methods, and build the pages into site/
	$(BIN)/python scripts/command_reference.py
	$(BIN)/python scripts/guarantees.py
	$(BIN)/python scripts/methods.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

FUZZ_MINUTES ?= 60
fuzz: $(READY)  ## generated releases recounted, verify beside others, every reader under atheris (FUZZ_MINUTES=60)
	@$(BIN)/python -c "import atheris" 2>/dev/null || \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev,fuzz]'
	$(BIN)/python scripts/fuzz.py --minutes $(FUZZ_MINUTES)

faults: $(READY)  ## a fault at every step of writing, and processes killed; writes docs/evidence/faults.json
	$(BIN)/python scripts/faults.py

forgeries: $(READY)  ## every certificate that differs from a true one in one place: none may verify (a minute)
	$(BIN)/python scripts/forgeries.py

mutants: trust-tools  ## thousands of small changes to the checking code: a test must notice each (an hour)
	$(BIN)/python scripts/mutants.py

trust: $(READY)  ## write docs/trust.md: what was tried against the promises, and what got through
	$(BIN)/python scripts/trust.py

sbom: trust-tools  ## the bill of materials of a user's environment, dist/sbom.cdx.json
	$(BIN)/python scripts/sbom.py

audit: trust-tools  ## licenses and published advisories of everything that Shoal brings
	$(BIN)/python scripts/audit.py

trust-tools: $(READY)
	@$(BIN)/python -c "import mutmut, pip_audit, cyclonedx_py" 2>/dev/null || \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev,trust]'

screenshot: $(READY)  ## the pictures of the report and of the web app
	$(BIN)/python scripts/screenshot.py
	$(BIN)/python scripts/serve_pictures.py

constraints:  ## compile constraints.txt anew (needs uv)
	uv pip compile --universal --python-version 3.11 --all-extras --no-header --no-annotate --no-emit-index-url -q pyproject.toml -o constraints.txt

clean:  ## remove what make made
	rm -rf $(VENV) .matrix demo demo.private site dist .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/setup.sh
	bash scripts/setup.sh $(VENV)
	@touch $@
