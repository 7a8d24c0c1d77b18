# make demo   the main job: a report on built-in data
# make test   lint, types, import contract, tests
# make browser   what the tests in a browser need: Chromium and Node.js (by apt, if they are missing) and axe-core
# make soak KILLS=50   runs with checkpoints, killed at random moments, must go on to the same results; so must runs on a
#                      cluster, WORKER_KILLS=10 workers of which are killed
# make test-bounds   the tests once more, with every index that a kernel uses checked
# make test-oldest   the tests once more, with the lowest versions that pyproject.toml promises
# make fuzz MINUTES=10   the same property tests, for as long as you like
# make bench DATA=DIR    the benchmarks; with DATA, a folder with the data sets, the results are kept in benchmarks/results
# make bench-large   those of rows that are more than memory holds; takes 13 GB on the disk
# make tables   the tables of README.md and docs, from the results that are kept
# make docs   the documentation site, in build/docs; warnings are errors
# make figures   the figures of the pages, in docs/figures
# make screenshots   the screenshots of the pages, in docs/screenshots; needs a browser
# make release   the wheel and the sources, built, installed and tried; nothing is tagged or uploaded
# Each sets up its own virtual environment first; nothing else is needed.

PYTHON ?= python3
MINUTES ?= 5
KILLS ?= 50
WORKER_KILLS ?= 10
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

RESULTS := $(if $(DATA),benchmarks/results,build)
BENCHMARKS := perceptron decide known_answers margin least_errors pocket family files report
LARGE_BENCHMARKS := stream cluster

.PHONY: demo browser install test test-bounds test-oldest lint fuzz soak bench bench-large tables docs figures screenshots release clean

$(VENV)/demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[plot]'
	@touch $@

$(VENV)/dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/demo

demo: $(VENV)/demo
	@rm -rf build/demo && mkdir -p build/demo
	cd build/demo && ../../$(BIN)/separatrix examples credit-noisy --gaps 0.04 --output applications.csv
	cd build/demo && ../../$(BIN)/separatrix report applications.csv --label approved --missing drop-rows -o report.html
	@echo "Open it in a browser: $(CURDIR)/build/demo/report.html"

AXE := 4.10.3

browser: build/axe/node_modules/axe-core/axe.min.js
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || $(MAKE) install PACKAGES=chromium

build/axe/node_modules/axe-core/axe.min.js:
	@command -v npm > /dev/null || $(MAKE) install PACKAGES='nodejs npm'
	@mkdir -p build/axe
	npm install --silent --no-audit --no-fund --prefix build/axe axe-core@$(AXE)

install:
	$(if $(filter 0,$(shell id -u)),,sudo) apt-get update -qq
	$(if $(filter 0,$(shell id -u)),,sudo) apt-get install -y -qq --no-install-recommends $(PACKAGES)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n $(JOBS) --durations=15

# Checked kernels have a cache of their own. Left out are tests that call no kernel but those that others call (examples in the
# docs, pictures, reports, the browser), and tests of processes that have their own settings.
test-bounds: $(VENV)/dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/bounds $(BIN)/pytest -n $(JOBS) tests \
		--ignore tests/browser --ignore tests/pictures --ignore tests/reporting --ignore tests/test_figures.py \
		--ignore tests/test_gallery.py --ignore tests/compiled/test_compilation.py --ignore tests/test_fuzz.py

# In an environment of its own; Python must be the lowest version that is promised.
test-oldest:
	$(PYTHON) tools/oldest.py -n $(JOBS)

fuzz: $(VENV)/dev
	$(BIN)/python tests/fuzz.py --minutes $(MINUTES) --jobs $(JOBS)

soak: $(VENV)/dev
	$(BIN)/python tests/support/soak.py --kills $(KILLS)
	$(BIN)/python tests/support/soak_workers.py --kills $(WORKER_KILLS)

bench-large: BENCHMARKS := $(LARGE_BENCHMARKS)
bench-large: RESULTS := benchmarks/results

# All are run, even if one of them misses a bar.
bench bench-large: $(VENV)/dev
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@mkdir -p $(RESULTS)
	@missed=0; for name in $(BENCHMARKS); do \
		echo "benchmarks/$$name.py"; \
		$(BIN)/python benchmarks/$$name.py $(if $(DATA),--data $(DATA)) --json $(RESULTS)/$$name.json || missed=1; \
	done; exit $$missed

tables:
	$(PYTHON) benchmarks/tables.py

$(VENV)/docs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ $(VENV)/demo

# Examples are run, and what they print and draw becomes part of the site.
docs: $(VENV)/docs
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --nitpicky docs build/docs
	$(BIN)/python tools/check_site.py build/docs

figures: $(VENV)/docs
	@for script in docs/figures/*.py; do echo "$$script"; $(BIN)/python "$$script" || exit 1; done

screenshots: $(VENV)/dev browser
	$(BIN)/python tools/screenshots.py

release:
	$(PYTHON) tools/release.py

clean:
	rm -rf $(VENV) build dist docs/generated .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
