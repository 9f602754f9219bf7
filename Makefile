# Everything that a clean clone needs: cargo, python3, g++ and make are the only tools asked for.
# `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build links build-tests install programs test gate soak test-rust test-python \
  test-aarch64 test-frameworks test-docs docs dist test-dist demo demo-python lint clean

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# A Cargo profile. The gate's is ci, which compiles in half the time.
export PROFILE ?= release
built := target/$(PROFILE)

build: ## Build Outhaul: target/release/outhaul, outhaul-{client,soft}/libcuda.so.1, outhaul-client/libnvidia-ml.so.1
	cargo build --profile $(PROFILE) \
	  --package outhaul-cli --package outhaul-client --package outhaul-softgpu
	@$(MAKE) --no-print-directory links

# The libraries under the names by which programs load them, where `outhaul` looks for them.
links:
	@mkdir -p $(built)/outhaul-client $(built)/outhaul-soft
	@ln -sfn ../libouthaul_client.so $(built)/outhaul-client/libcuda.so.1
	@ln -sfn ../libouthaul_client.so $(built)/outhaul-client/libnvidia-ml.so.1
	@ln -sfn ../libouthaul_softgpu.so $(built)/outhaul-soft/libcuda.so.1
	@for side in client soft; do ln -sfn libcuda.so.1 $(built)/outhaul-$$side/libcuda.so; done

# What the tests need besides: their executables, and the programs that they run. One selection of packages, so that nothing is compiled twice.
build-tests:
	cargo build --profile $(PROFILE) --workspace --all-targets
	@$(MAKE) --no-print-directory links

PREFIX ?= /usr/local
install: build ## Install what `build` made under PREFIX (/usr/local), or under DESTDIR/PREFIX
	install -D -m 755 $(built)/outhaul "$(DESTDIR)$(PREFIX)/bin/outhaul"
	@for side in client soft; do \
	  library=$$(readlink -f $(built)/outhaul-$$side/libcuda.so.1); \
	  install -D -m 644 "$$library" "$(DESTDIR)$(PREFIX)/lib/outhaul/$$side/libcuda.so.1"; \
	  ln -sfn libcuda.so.1 "$(DESTDIR)$(PREFIX)/lib/outhaul/$$side/libcuda.so"; \
	done
	@ln -sfn libcuda.so.1 "$(DESTDIR)$(PREFIX)/lib/outhaul/client/libnvidia-ml.so.1"
	install -D -m 644 crates/client/include/outhaul.h "$(DESTDIR)$(PREFIX)/include/outhaul.h"
	@echo "installed: $(DESTDIR)$(PREFIX)/bin/outhaul and $(DESTDIR)$(PREFIX)/lib/outhaul"

programs: ## Fetch the CUDA compiler and build the end-to-end programs into target/e2e
	@tests/e2e/build.sh

test: ## Run the tests that decide whether a change lands; needs no GPU
	python3 tests/suites gate

gate: ## The same on the committed HEAD, in a clone under target/gate; on success target/gate/passed has its tree
	tests/suites/gate.sh

soak: ## Run what is long, random, timed, sanitised or foreign; `make soak-random` and others run a part
	python3 tests/suites soak

soak-%:
	python3 tests/suites soak $*

test-rust: build-tests ## Run the tests of the crates
	@status=0; \
	for kind in unit processes; do python3 tests/suites/crates.py $$kind || status=1; done; \
	exit $$status

test-python: build ## Run the tests of the Python package on pretended GPUs, and through CuPy on the software GPU
	python/tests/run.sh

test-aarch64: build ## Run real CUDA programs of another kind of machine, emulated, on a node of this one
	@tests/e2e/aarch64.sh

test-frameworks: build ## Run CuPy, Numba and Triton on the software GPU; fetches their wheels
	@tests/e2e/soft/frameworks.sh

test-docs: build ## Check the documents; run the pages for beginners as they are written
	@tests/docs/run.sh --pages

docs: build ## Build a site of docs/ and of what --help says into target/site; fetches MkDocs into target/docs
	docs/scripts/site.sh

dist: ## Build the packages for x86-64 and aarch64 into dist/: wheels, Debian packages, symbols; fetches a C compiler that knows old glibcs
	packaging/build.sh

test-dist: ## Install the packages in dist/ into bare Debian systems and use them there; needs root and debootstrap
	tests/install/packages.sh

demo: build ## Compile three CUDA programs and run them on a node, without a GPU in this machine
	@tests/e2e/demo.sh

demo-python: build ## Run the Python package's example on the software GPU
	. python/venv.sh; $(built)/outhaul run --gpu soft -- "$$venv/bin/python" -P python/examples/out_of_core.py

lint: ## Check formatting, generated files, layering and warnings
	python3 tests/suites gate formatting generated layering build

clean: ## Remove everything that was built or fetched
	rm -rf target
