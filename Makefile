# Airloom's tasks. `make build` and `make test` are all that a fresh machine needs to be told.

# One target directory under the user's cache, so that a clean checkout on the same machine builds nothing twice.
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/airloom/target
LOOM := .venv/bin/loom

.PHONY: toolchain build demo test lint bench manual fuzz help
.DEFAULT_GOAL := help

help:
	@echo "make build   build everything; the developer's command is left at $(LOOM)"
	@echo "make demo    build, then explain and run an example, stage by stage"
	@echo "make test    build, then run all tests"
	@echo "make lint    formatting, lints, and the freshness of generated files"
	@echo "make bench   measure how long compiling takes"
	@echo "make manual  write docs/reference anew from the op table and the rules"
	@echo "make fuzz    fuzz the parser and the decoder for a minute each (needs cargo-fuzz)"

toolchain:
	@command -v cargo >/dev/null || { echo "airloom needs Rust 1.95 or newer: install it with rustup, then run this again" >&2; exit 1; }

build: toolchain
	cargo build --release --workspace --locked
	@mkdir -p .venv/bin
	@cp "$(CARGO_TARGET_DIR)/release/loom" $(LOOM)

demo: build
	@sh examples/demo.sh $(LOOM)

# nextest where it is installed; cargo's own runner does as well.
test: build
	@if cargo nextest --version >/dev/null 2>&1; then \
	    cargo nextest run --release --workspace --locked --no-fail-fast; \
	else \
	    cargo test --release --workspace --locked --no-fail-fast --lib --bins --tests; \
	fi
	cargo test --release --workspace --locked --doc

lint: build
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --locked -- -D warnings
	@mkdir -p "$(CARGO_TARGET_DIR)/manual"
	@$(LOOM) manual "$(CARGO_TARGET_DIR)/manual" >/dev/null
	@diff -r "$(CARGO_TARGET_DIR)/manual" docs/reference >/dev/null || { echo "docs/reference is stale: run \`make manual\`" >&2; exit 1; }

bench: build
	cargo bench -p airloom --bench compile --locked

manual: build
	$(LOOM) manual docs/reference

fuzz: toolchain
	RUSTC_BOOTSTRAP=1 cargo fuzz run parse -- -max_total_time=60
	RUSTC_BOOTSTRAP=1 cargo fuzz run decode -- -max_total_time=60
