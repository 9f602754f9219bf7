# Everything that a clean clone needs: cargo, python3, g++ and make are the only tools asked for.
# `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build install programs test test-rust test-e2e test-python test-aarch64 test-frameworks test-docs test-releases docs dist test-dist sanitize demo demo-python lint clean

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

build: ## Build Outhaul: target/release/outhaul, target/lib/{client,soft}/libcuda.so.1, target/lib/client/libnvidia-ml.so.1
	cargo build --release --workspace
	@mkdir -p target/lib/client target/lib/soft
	@ln -sfn ../../release/libouthaul_client.so target/lib/client/libcuda.so.1
	@ln -sfn ../../release/libouthaul_client.so target/lib/client/libnvidia-ml.so.1
	@ln -sfn ../../release/libouthaul_softgpu.so target/lib/soft/libcuda.so.1
	@for side in client soft; do ln -sfn libcuda.so.1 target/lib/$$side/libcuda.so; done

PREFIX ?= /usr/local
install: build ## Install what `build` made under PREFIX (/usr/local), or under DESTDIR/PREFIX
	install -D -m 755 target/release/outhaul "$(DESTDIR)$(PREFIX)/bin/outhaul"
	@for side in client soft; do \
	  library=$$(readlink -f target/lib/$$side/libcuda.so.1); \
	  install -D -m 644 "$$library" "$(DESTDIR)$(PREFIX)/lib/outhaul/$$side/libcuda.so.1"; \
	  ln -sfn libcuda.so.1 "$(DESTDIR)$(PREFIX)/lib/outhaul/$$side/libcuda.so"; \
	done
	@ln -sfn libcuda.so.1 "$(DESTDIR)$(PREFIX)/lib/outhaul/client/libnvidia-ml.so.1"
	install -D -m 644 crates/client/include/outhaul.h "$(DESTDIR)$(PREFIX)/include/outhaul.h"
	@echo "installed: $(DESTDIR)$(PREFIX)/bin/outhaul and $(DESTDIR)$(PREFIX)/lib/outhaul"

programs: ## Fetch the CUDA compiler and build the end-to-end programs into target/e2e
	@tests/e2e/build.sh

test: test-rust test-e2e test-python test-aarch64 ## Run all tests; needs no GPU

test-rust: build ## Run the tests of the crates
	cargo test --release --workspace --no-fail-fast

test-e2e: build programs ## Run real CUDA programs on the software GPU, directly and remotely, with every CUDA runtime
	@status=0; \
	run() { echo "== $$*"; "$$@" || status=1; }; \
	run tests/ptx/assemble.sh; \
	run env OUTHAUL_SOFT_CC=9.0 python3 tests/ptx/fuzz.py target/lib/soft/libcuda.so.1 --digests tests/ptx/fuzz.digests; \
	run tests/conformance/run.sh; \
	run tests/conformance/lost-worker.sh; \
	run tests/conformance/slow-link.sh; \
	run tests/e2e/faults.sh; \
	run tests/e2e/cuts.sh; \
	run tests/random-programs/run.sh; \
	run tests/e2e/run.sh --target soft; \
	run tests/e2e/run.sh --target remote; \
	run env OUTHAUL_TRANSPORT=tcp tests/e2e/run.sh --target remote; \
	run tests/e2e/soft/run.sh; \
	run tests/e2e/nvml/run.sh; \
	run tests/e2e/waits.sh; \
	run tests/e2e/managed.sh; \
	run tests/e2e/two-nodes.sh; \
	run tests/e2e/segments.sh; \
	run tests/e2e/frameloop.sh; \
	run tests/e2e/startup.sh target/lib/soft; \
	run tests/e2e/startup.sh --remote; \
	run tests/e2e/compile-cache.sh; \
	run tests/install/run.sh; \
	run crates/cli/src/bench/kernels/build.sh --check; \
	exit $$status

test-python: build ## Run the tests of the Python package on pretended GPUs, and through CuPy on the software GPU
	python/tests/run.sh

test-aarch64: build ## Run real CUDA programs of another kind of machine, emulated, on a node of this one
	@tests/e2e/aarch64.sh

test-frameworks: build ## Run CuPy, Numba and Triton on the software GPU; fetches their wheels
	@tests/e2e/soft/frameworks.sh

test-docs: build ## Check the documents: links, commands, figures, names; run the pages for beginners as they are written
	python3 tests/docs/faults.py
	python3 tests/docs/check.py
	python3 tests/docs/tables.py
	python3 tests/docs/as_written.py docs/tutorial.md docs/for-ml-engineers.md docs/for-lab-admins.md docs/for-hpc-admins.md

docs: build ## Build a site of docs/ and of what --help says into target/site; fetches MkDocs into target/docs
	docs/scripts/site.sh

dist: ## Build the packages for x86-64 and aarch64 into dist/: wheels, Debian packages, symbols; fetches a C compiler that knows old glibcs
	packaging/build.sh

test-dist: ## Install the packages in dist/ into bare Debian systems and use them there; needs root and debootstrap
	tests/install/packages.sh

test-releases: build ## Run the conformance suite with a client of one release and a node of another, both ways
	tests/conformance/releases.sh

sanitize: ## Run client, node and software GPU with the address and the thread sanitizer
	@status=0; \
	for sanitizer in address thread; do tests/sanitize.sh $$sanitizer || status=1; done; \
	exit $$status

demo: build ## Compile three CUDA programs and run them on a node, without a GPU in this machine
	@tests/e2e/demo.sh

demo-python: build ## Run the Python package's example on the software GPU
	. python/venv.sh; target/release/outhaul run --gpu soft -- "$$venv/bin/python" -P python/examples/out_of_core.py

lint: ## Check formatting, warnings, generated files and layering
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo xtask codegen --check
	cargo xtask layering

clean: ## Remove everything that was built or fetched
	rm -rf target
