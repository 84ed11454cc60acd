# Airloom's tasks. `make build` and `make test` are all that a fresh machine needs to be told.

# One target directory under the user's cache, so that a clean checkout on the same machine builds nothing twice.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/airloom
export CARGO_TARGET_DIR ?= $(CACHE)/target
LOOM := .venv/bin/loom
# The peers are not in the environment that tests run in: what they bring along must not be what makes a test pass.
PEERS := $(CACHE)/bench-venv
# What arrays are measured beside wants a NumPy of its own choice.
ARRAYS := $(CACHE)/arrays-venv
# FireDucks has one of its own: it wants an older pandas than the others.
FIREDUCKS := $(CACHE)/fireducks-venv

# Bodies are compiled by LLVM 22, which is linked statically. `make build NATIVE=0` builds without it: bodies are interpreted, and the answers are the same.
NATIVE ?= 1
LLVM_PACKAGES := llvm-22-dev libzstd-dev zlib1g-dev
ifeq ($(NATIVE),0)
WORKSPACE := --workspace --exclude airloom-jit --no-default-features
else
WORKSPACE := --workspace
endif

# Overflow is checked in our own crates only: those of others are compiled as ever, and not a second time.
OVERFLOW := --config profile.release.overflow-checks=true --config 'profile.release.package."*".overflow-checks=false'

# Copies what was built without its debug information, which is six parts in seven of it. That stays in the target directory, behind a link where backtraces look for it. It is moved into its place, so that no process sees half of it.
define place
	@mkdir -p $(dir $(2)).debug
	@if command -v objcopy >/dev/null; then \
	    objcopy --only-keep-debug "$(1)" "$(1).debug" && ln -sf "$(1).debug" "$(dir $(2)).debug/" && \
	    objcopy --strip-debug --add-gnu-debuglink="$(1).debug" "$(1)" "$(2).new"; \
	else cp "$(1)" "$(2).new"; fi && mv "$(2).new" "$(2)"
endef

.PHONY: toolchain llvm build demo test test-overflow lint bench bench-native bench-shapes bench-files bench-tpch bench-pandas bench-arrays bench-loops manual pandas-suite polars-suite array-api-suite fuzz fuzz-pandas fuzz-polars fuzz-arrays help
.DEFAULT_GOAL := help

help:
	@echo "make build   build everything; the developer's command is left at $(LOOM); with NATIVE=0, without LLVM"
	@echo "make demo    build, then run TPC-H queries from Parquet and from memory, beside pandas"
	@echo "make test    build, then run all tests"
	@echo "make test-overflow  the Rust tests with overflow checked in our crates"
	@echo "make lint    formatting, lints, and the freshness of generated files"
	@echo "make bench   measure how long building, optimising and planning take"
	@echo "make bench-native  measure bodies interpreted and compiled"
	@echo "make bench-shapes  measure what native code is made for beside DuckDB, Polars and Numba"
	@echo "make bench-files  measure reading files beside the readers of the arrow and parquet crates"
	@echo "make bench-tpch  measure the TPC-H queries beside DuckDB, Polars and DataFusion"
	@echo "make bench-pandas  measure programs of pandas users beside pandas and FireDucks"
	@echo "make bench-arrays  measure expressions over arrays beside NumPy, numexpr, Numba, JAX and C"
	@echo "make bench-loops  measure loops of Python functions beside CPython, NumPy and Numba"
	@echo "make manual  write docs/reference anew from the op table and the rules"
	@echo "make pandas-suite  run pandas' own tests through our classes"
	@echo "make polars-suite TESTS=…/py-polars/tests  run Polars' own tests, of a checkout, with our engine"
	@echo "make array-api-suite TESTS=…/array-api-tests  run the Array API standard's own tests, of a checkout, on airloom.numpy"
	@echo "make fuzz    fuzz the parser and the decoder for a minute each (needs cargo-fuzz)"
	@echo "make fuzz-pandas  run random programs on pandas and on airloom, and compare all that is seen"
	@echo "make fuzz-polars  run random queries on Polars and on airloom, and compare their frames"
	@echo "make fuzz-arrays  run random programs of arrays on NumPy and on airloom, and random functions in CPython and compiled; goes on where it stopped"

toolchain:
	@command -v cargo >/dev/null || { echo "airloom needs Rust 1.95 or newer: install it with rustup, then run this again" >&2; exit 1; }

# Installs LLVM where that may be done without asking, else says how.
llvm:
ifneq ($(NATIVE),0)
	@test -n "$(LLVM_SYS_221_PREFIX)" -o -x /usr/lib/llvm-22/bin/llvm-config || command -v llvm-config-22 >/dev/null || \
	    { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends $(LLVM_PACKAGES) >/dev/null; } || \
	    { echo "airloom compiles by LLVM 22: run \`sudo apt-get install $(LLVM_PACKAGES)\`, name its folder in LLVM_SYS_221_PREFIX, or run \`make build NATIVE=0\`" >&2; exit 1; }
endif

build: toolchain llvm .venv/.ready
	cargo build --release $(WORKSPACE) --locked
	$(call place,$(CARGO_TARGET_DIR)/release/loom,$(LOOM))
	$(call place,$(CARGO_TARGET_DIR)/release/lib_native.so,python/airloom/_native.abi3.so)

# The package is used where it stands: the extension is built by cargo with everything else, so that nothing is compiled twice.
.venv/.ready: pyproject.toml
	@command -v python3 >/dev/null || { echo "airloom needs Python 3.11 or newer with its venv module" >&2; exit 1; }
	python3 -m venv .venv
	@.venv/bin/python -c "import tomllib; print('\n'.join(tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['test']))" > .venv/test.txt
	.venv/bin/pip install --quiet --disable-pip-version-check -r .venv/test.txt
	@# pandas computes otherwise where numexpr can be imported: one test looks into this folder.
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target .venv/numexpr 'numexpr>=2.10,<3'
	@echo "$(CURDIR)/python" > "$$(.venv/bin/python -c 'import site; print(site.getsitepackages()[0])')/airloom-dev.pth"
	@touch $@

demo: build
	@.venv/bin/python examples/demo.py

# nextest where it is installed; cargo's own runner does as well.
NEXTEST := cargo nextest run --release $(WORKSPACE) --locked --no-fail-fast
RUST_TESTS = $(shell if cargo nextest --version >/dev/null 2>&1; then echo "$(NEXTEST)"; else echo "cargo test --release $(WORKSPACE) --locked --no-fail-fast --lib --bins --tests"; fi)

# What was skipped, and what was left in the temporary folder, is said at the end.
test: build
	@tests/postgres.sh
	@python3 tests/run.py $(RUST_TESTS) \
	    -- cargo test --release $(WORKSPACE) --locked --doc \
	    -- .venv/bin/python -m pytest \
	    -- env AIRLOOM_ORACLE=1 .venv/bin/python -m pytest --ignore=tests/python/test_tpch.py --ignore=tests/python/pandas \
	    -- .venv/bin/python -m pytest -n auto tests/differential/pandas --reference check \
	    -- .venv/bin/python -m pytest -n auto tests/differential/polars \
	    -- .venv/bin/python -m pytest -n auto tests/differential/numpy \
	    -- .venv/bin/python -m pytest -n auto tests/differential/jit

# The Rust tests with overflow checked in our crates.
test-overflow: toolchain llvm .venv/.ready
	@python3 tests/run.py $(RUST_TESTS) $(OVERFLOW)

lint: build
	cargo fmt --all --check
	cargo clippy --release $(WORKSPACE) --all-targets --locked -- -D warnings
	@mkdir -p "$(CARGO_TARGET_DIR)/manual"
	@$(LOOM) manual "$(CARGO_TARGET_DIR)/manual" >/dev/null
	@diff -r -x pandas.md $(if $(filter 0,$(NATIVE)),-x native.md) "$(CARGO_TARGET_DIR)/manual" docs/reference >/dev/null || { echo "docs/reference is stale: run \`make manual\`" >&2; exit 1; }

bench: build
	cargo bench -p airloom --bench compile --locked

bench-native: toolchain llvm
	taskset -c 0 cargo run --release -p airloom-jit --example native_speed --locked

# More after the command: make bench-shapes ARGS="--rows 1e6 --only extremes"
bench-shapes: build
	.venv/bin/python benches/native/run.py $(ARGS)

# One core, which is what the readers of the crates use. More after the command: make bench-files ARGS="csv-wide json"
bench-files: build
	taskset -c 0 cargo bench -p airloom-io --bench files --locked -- $(ARGS)

$(PEERS)/installed: benches/tpch/requirements.txt
	python3 -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' -r benches/tpch/requirements.txt
	@touch $@

# More after the command: make bench-tpch ARGS="--queries q01,q06 --repeat 5"
bench-tpch: toolchain $(PEERS)/installed
	PIP_QUIET=1 VIRTUAL_ENV=$(PEERS) $(PEERS)/bin/maturin develop --quiet --release --locked
	$(PEERS)/bin/python benches/tpch/run.py $(ARGS)

$(FIREDUCKS)/installed: benches/pandas/requirements-fireducks.txt
	python3 -m venv $(FIREDUCKS)
	$(FIREDUCKS)/bin/python -m pip install --quiet --disable-pip-version-check -r benches/pandas/requirements-fireducks.txt
	@touch $@

# More after the command: make bench-pandas ARGS="--suite tpch --queries q01,q06 --systems airloom,pandas"
bench-pandas: toolchain $(PEERS)/installed $(FIREDUCKS)/installed
	PIP_QUIET=1 VIRTUAL_ENV=$(PEERS) $(PEERS)/bin/maturin develop --quiet --release --locked
	$(PEERS)/bin/python benches/pandas/run.py $(ARGS)

$(ARRAYS)/installed: benches/arrays/requirements.txt
	python3 -m venv $(ARRAYS)
	$(ARRAYS)/bin/python -m pip install --quiet --disable-pip-version-check -r benches/arrays/requirements.txt
	@touch $@

# More after the command: make bench-arrays ARGS="--sizes 1e6 --dtypes f8"
bench-arrays: build $(ARRAYS)/installed
	PYTHONPATH=python $(ARRAYS)/bin/python benches/arrays/run.py $(ARGS)

# More after the command: make bench-loops ARGS="--programs seidel,collatz"
bench-loops: build $(ARRAYS)/installed
	PYTHONPATH=python $(ARRAYS)/bin/python benches/loops/run.py $(ARGS)

manual: build
	$(LOOM) manual docs/reference
	.venv/bin/python -m pytest -n auto tests/differential/pandas --reference write

# pandas' own tests, first as they are, then with our classes in place of pandas'; what each of them shows. It takes an hour or so.
pandas-suite: build
	.venv/bin/python tests/pandas_suite/run.py $(ARGS)

polars-suite: build
	.venv/bin/python tests/polars_suite/run.py $(TESTS) $(ARGS)

# The checkout needs its submodule. More after the command: make array-api-suite TESTS=…/array-api-tests ARGS="--examples 20 --disable-deadline"
array-api-suite: build
	.venv/bin/python -m pip install --quiet --disable-pip-version-check ndindex pytest-json-report
	.venv/bin/python tests/array_api_suite/run.py $(TESTS) $(ARGS)

fuzz: toolchain
	RUSTC_BOOTSTRAP=1 cargo fuzz run parse -- -max_total_time=60
	RUSTC_BOOTSTRAP=1 cargo fuzz run decode -- -max_total_time=60

# A thousand programs. More after the command: make fuzz-pandas ARGS="--seconds 600 --state target/fuzz-pandas.json"
fuzz-pandas: build
	PYTHONPATH=tests/differential/pandas .venv/bin/python -m programs $(ARGS)

# A thousand queries. More after the command: make fuzz-polars ARGS="--count 100000 --seconds 600 --state target/fuzz-polars.json"
fuzz-polars: build
	PYTHONPATH=tests/differential/polars .venv/bin/python -m fuzzing $(ARGS)

# How many of each, those of earlier runs included, and in how many processes: make fuzz-arrays COUNT=1000 WORKERS=4
COUNT ?= 100000
WORKERS ?= 2
fuzz-arrays: build
	.venv/bin/python tests/differential/numpy/random_programs.py --count $(COUNT) --workers $(WORKERS) --state $(CACHE)/fuzz-array-programs.json
	.venv/bin/python tests/differential/jit/random_arrays.py --count $(COUNT) --workers $(WORKERS) --state $(CACHE)/fuzz-functions.json
