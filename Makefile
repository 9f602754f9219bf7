# Builds and tests Outhaul in a clean clone. It needs only cargo, python3, g++ and make. `make help`
# lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build links build-tests install programs test gate soak test-rust test-python \
  test-aarch64 test-frameworks test-docs docs dist test-dist demo demo-python lint clean

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# The Cargo profile. The gate uses ci, which compiles in half the time.
export PROFILE ?= release
built := target/$(PROFILE)

build: ## Build Outhaul into target/release: outhaul, and the libraries in outhaul-client and -soft
	cargo build --profile $(PROFILE) \
	  --package outhaul-cli --package outhaul-client --package outhaul-softgpu
	@$(MAKE) --no-print-directory links

# Links the libraries under the names that programs load, in the folders where `outhaul` looks.
links:
	@mkdir -p $(built)/outhaul-client $(built)/outhaul-soft
	@ln -sfn ../libouthaul_client.so $(built)/outhaul-client/libcuda.so.1
	@ln -sfn ../libouthaul_client.so $(built)/outhaul-client/libnvidia-ml.so.1
	@ln -sfn ../libouthaul_softgpu.so $(built)/outhaul-soft/libcuda.so.1
	@for side in client soft; do ln -sfn libcuda.so.1 $(built)/outhaul-$$side/libcuda.so; done

# Builds the executables of the tests and the programs that they run. It selects all packages at
# once, so that cargo compiles nothing twice.
build-tests:
	cargo build --profile $(PROFILE) --workspace --all-targets
	@$(MAKE) --no-print-directory links

PREFIX ?= /usr/local
install: build ## Install the build under PREFIX (/usr/local), or under DESTDIR/PREFIX
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

test: ## Run the tests that every change must pass; needs no GPU
	python3 tests/suites gate

gate: ## Run them on the committed HEAD, in a clone; target/gate/passed has the tree that passed
	tests/suites/gate.sh

soak: ## Run long, random, timed, sanitised and foreign tests; `make soak-random` runs a part
	python3 tests/suites soak

soak-%:
	python3 tests/suites soak $*

test-rust: build-tests ## Run the tests of the crates
	@status=0; \
	for kind in unit processes; do python3 tests/suites/crates.py $$kind || status=1; done; \
	exit $$status

test-python: build ## Test the Python package on pretended GPUs, and with CuPy on the software GPU
	python/tests/run.sh

test-aarch64: build ## Run CUDA programs for aarch64 in an emulator, on a node of this machine
	@tests/e2e/aarch64.sh

test-frameworks: build ## Run CuPy, Numba and Triton on the software GPU; fetches their wheels
	@tests/e2e/soft/frameworks.sh

test-docs: build ## Check the documents, and run the commands of the pages for beginners
	@tests/docs/run.sh --pages

docs: build ## Build a site of docs/ and the help texts into target/site; fetches MkDocs
	docs/scripts/site.sh

dist: ## Build wheels, Debian packages and symbols into dist/; fetches a C compiler for old glibcs
	packaging/build.sh

test-dist: ## Install the packages of dist/ into bare Debian systems; needs root and debootstrap
	tests/install/packages.sh

demo: build ## Compile three CUDA programs and run them on a node; needs no GPU
	@tests/e2e/demo.sh

demo-python: build ## Run the Python package's example on the software GPU
	. python/venv.sh; \
	$(built)/outhaul run --gpu soft -- "$$venv/bin/python" -P python/examples/out_of_core.py

lint: ## Check formatting, generated files, layering and warnings
	python3 tests/suites gate formatting generated layering build

clean: ## Remove all built and fetched files
	rm -rf target
