# Builds the end-to-end programs with real nvcc into target/e2e/VARIANT/PROGRAM. Called by build.sh,
# from the top of the repository.
#
#   13.0-static   all programs, as nvcc builds them by default
#   12.9-static   some, compiled and linked against 12.9
#   13.0-shared   all programs that use the runtime
#   12.0-shared   some, 12.9 objects linked against 12.0
#   13.5-static   some, 13.0 objects linked against 13.5
#   ptx+cubin-*   a few with cubins beside the PTX, in each compression of the fat binary
#   startup       one tiny program, joined with every libcudart
#   examples      what of examples/ is one file for nvcc
#   aarch64/*     many programs for Linux on aarch64, with four runtimes (not in `all`)
#   device        all programs with PTX and sm_90 code, stripped: to be carried to a machine with a
#                 GPU (not in `all`)

e2e      := target/e2e
cuda     := $(CURDIR)/target/cuda
aarch64  := $(CURDIR)/target/aarch64
toolkit  := $(cuda)/toolkit
nvcc     := $(toolkit)/bin/nvcc
sources  := tests/e2e/programs
ptx      := -gencode arch=compute_75,code=compute_75

programs := $(basename $(notdir $(wildcard $(sources)/*.cu))) host_threads_ptds
drivers  := $(basename $(notdir $(wildcard $(sources)/*.cpp)))
examples := $(basename $(notdir $(wildcard examples/*.cu)))
older    := vector_add reduce_shuffle stencil_pitched streams_events host_callbacks constants_symbols \
            template_kernels host_threads host_threads_ptds stream_ordered queries errors textures surfaces graphs
oldest   := vector_add textures streams_events constants_symbols template_kernels host_threads_ptds queries
newest   := vector_add constants_symbols streams_events stream_ordered graphs
packed   := vector_add template_kernels constants_symbols
# Not those that start themselves again: the kernel does not know of the emulator. Nor those that
# only take long.
foreign  := $(filter-out device_assert device_fault launch_blocking bandwidth sort_thrust scan_cub,$(programs))

# What differs from program to program: a refusal needs a program without PTX, and one source is
# built twice.
gencode_no_binary         := -gencode arch=compute_75,code=sm_75
gencode_tensor_cores      := -gencode arch=compute_80,code=compute_80
gencode_clusters          := -gencode arch=compute_90,code=compute_90
options_host_threads_ptds := --default-stream per-thread
source = $(if $(filter $(1),$(examples)),examples,$(sources))/$(patsubst %_ptds,%,$(1)).cu

# What differs from set to set of objects.
cubins              := -gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90,code=sm_90
gencode_13.0        := $(ptx)
gencode_12.9        := $(ptx)
options_12.9        := -I$(cuda)/runtime/12.9.79/include
gencode_aarch64     := $(ptx)
options_aarch64     := -ccbin $(aarch64)/bin/aarch64-linux-gnu-g++
gencode_aarch64-12.9 := $(ptx)
options_aarch64-12.9 := $(options_12.9) $(options_aarch64)
gencode_device      := $(ptx) -gencode arch=compute_90,code=sm_90
gencode_cubin-none  := $(cubins)
options_cubin-none  := --compress-mode=none
gencode_cubin-lz4   := $(cubins)
options_cubin-lz4   := --compress-mode=speed
gencode_cubin-zstd  := $(cubins)
options_cubin-zstd  := --compress-mode=size

compile := $(nvcc) -std=c++17 -O2 -Xcompiler -Wall,-Wno-unused-function -MD -MP

comma := ,

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

targets := $(programs:%=$(e2e)/13.0-static/%) $(drivers:%=$(e2e)/13.0-static/%) \
           $(programs:%=$(e2e)/13.0-shared/%) \
           $(older:%=$(e2e)/12.9-static/%) $(oldest:%=$(e2e)/12.0-shared/%) $(newest:%=$(e2e)/13.5-static/%) \
           $(foreach mode,none lz4 zstd,$(packed:%=$(e2e)/ptx+cubin-$(mode)/%))
targets += $(e2e)/13.0-static/parts $(e2e)/13.0-static/parts_linked
shared_runtimes := 12.0.146 12.1.105 12.4.127 12.6.77 12.8.90 12.9.79 13.0.96 13.1.80 13.2.86 13.3.29 13.4.92 13.5.37
static_runtimes := 12.9.79 13.0.96 13.1.80 13.2.86 13.3.29 13.4.92 13.5.37
targets += $(examples:%=$(e2e)/examples/%)
targets += $(shared_runtimes:%=$(e2e)/startup/%-shared) $(static_runtimes:%=$(e2e)/startup/%-static)

targets_aarch64 := $(foreign:%=$(e2e)/aarch64/13.0-static/%) $(oldest:%=$(e2e)/aarch64/12.9-static/%) \
                   $(oldest:%=$(e2e)/aarch64/12.4-shared/%) $(newest:%=$(e2e)/aarch64/13.5-static/%)

.PHONY: all device aarch64 list list-aarch64
aarch64: $(targets_aarch64) ; @:
all: $(targets) ; @:
device: $(programs:%=$(e2e)/device/%) $(drivers:%=$(e2e)/device/%) $(e2e)/device/parts $(e2e)/device/parts_linked \
        $(examples:%=$(e2e)/device-examples/%) ; @:
list:
	@printf '%s\n' $(targets:$(e2e)/%=%)
list-aarch64:
	@printf '%s\n' $(targets_aarch64:$(e2e)/%=%)

# objects SET: the rule for the objects of one set.
define objects
$(e2e)/objects/$(1)/%.o: $(cuda)/stamp tests/e2e/programs.mk
	@mkdir -p $$(@D)
	@echo "nvcc -c $$* ($(1))"
	@$$(compile) $$(or $$(gencode_$$*),$$(gencode_$(1))) $$(options_$(1)) $$(options_$$*) -c $$(call source,$$*) -o $$@
$(foreach program,$(programs) $(examples),$(eval $(e2e)/objects/$(1)/$(program).o: $(call source,$(program))))
endef
$(foreach set,13.0 12.9 aarch64 aarch64-12.9 device cubin-none cubin-lz4 cubin-zstd,$(eval $(call objects,$(set))))

$(e2e)/objects/driver/%.o: $(sources)/%.cpp $(cuda)/stamp tests/e2e/programs.mk
	@mkdir -p $(@D)
	@echo "g++ -c $*"
	@g++ -std=c++17 -O2 -Wall -MMD -MP -I$(toolkit)/include -c $< -o $@

# The link step of a driver program needs a libcuda.so with the right names in it; the wheels bring
# none.
$(e2e)/stub/libcuda.so: $(drivers:%=$(e2e)/objects/driver/%.o)
	@mkdir -p $(@D)
	@nm -u $^ | sed -n 's/^ *U \(cu[A-Z][A-Za-z0-9_]*\)$$/void \1(void) {}/p' | sort -u >$(@D)/cuda.c
	@gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o $@ $(@D)/cuda.c

# An rpath of the old kind: NVRTC opens a second library of its own, and finds it through the
# program's.
link_driver = g++ -o $(1) $(2) -L$(e2e)/stub -L$(toolkit)/lib -Wl,--as-needed,--disable-new-dtags -lcuda -lnvrtc
link_static = g++ -o $(1) $(2) $(cuda)/runtime/$(3)/lib/libcudart_static.a $(wildcard $(cuda)/runtime/$(3)/lib/libculibos.a) -lpthread -ldl -lrt
link_shared = g++ -o $(1) $(2) -L$(cuda)/runtime/$(3)/lib -lcudart -lpthread -Wl,-rpath,$(cuda)/runtime/$(3)/lib

$(drivers:%=$(e2e)/13.0-static/%): $(e2e)/13.0-static/%: $(e2e)/objects/driver/%.o $(e2e)/stub/libcuda.so
	@mkdir -p $(@D)
	@$(call link_driver,$@,$<) -Wl$(comma)-rpath$(comma)$(toolkit)/lib
$(drivers:%=$(e2e)/device/%): $(e2e)/device/%: $(e2e)/objects/driver/%.o $(e2e)/stub/libcuda.so
	@mkdir -p $(@D)
	@$(call link_driver,$@,$<) -s -Wl$(comma)-rpath$(comma)'$$ORIGIN/../nvrtc'

# As a user links: with nvcc.
$(programs:%=$(e2e)/13.0-static/%): $(e2e)/13.0-static/%: $(e2e)/objects/13.0/%.o
	@mkdir -p $(@D)
	@$(nvcc) $(ptx) -o $@ $<
$(programs:%=$(e2e)/13.0-shared/%): $(e2e)/13.0-shared/%: $(e2e)/objects/13.0/%.o
	@mkdir -p $(@D)
	@$(nvcc) $(ptx) -cudart shared -o $@ $< -Xlinker -rpath,$(toolkit)/lib
$(programs:%=$(e2e)/device/%): $(e2e)/device/%: $(e2e)/objects/device/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.0.96) -s

# A program of two files: once with PTX of its parts alone, once with linked machine code of another
# GPU beside it.
parts := $(sources)/parts/main.cu $(sources)/parts/other.cu
$(e2e)/%/parts: $(parts) $(cuda)/stamp tests/e2e/programs.mk
	@mkdir -p $(@D)
	@echo "nvcc parts ($*)"
	@$(nvcc) -std=c++17 -O2 -rdc=true $(ptx) -o $@ $(parts)
$(e2e)/%/parts_linked: $(parts) $(cuda)/stamp tests/e2e/programs.mk
	@mkdir -p $(@D)
	@echo "nvcc parts_linked ($*)"
	@$(nvcc) -std=c++17 -O2 -rdc=true -gencode arch=compute_75,code=[sm_75,compute_75] -o $@ $(parts)

$(e2e)/examples/%: $(e2e)/objects/13.0/%.o
	@mkdir -p $(@D)
	@$(nvcc) $(ptx) -o $@ $<
$(e2e)/device-examples/%: $(e2e)/objects/device/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.0.96) -s

$(e2e)/12.9-static/%: $(e2e)/objects/12.9/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,12.9.79)
$(e2e)/12.0-shared/%: $(e2e)/objects/12.9/%.o
	@mkdir -p $(@D)
	@$(call link_shared,$@,$<,12.0.146)
$(e2e)/13.5-static/%: $(e2e)/objects/13.0/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.5.37)
$(e2e)/ptx+cubin-none/%: $(e2e)/objects/cubin-none/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.0.96)
$(e2e)/ptx+cubin-lz4/%: $(e2e)/objects/cubin-lz4/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.0.96)
$(e2e)/ptx+cubin-zstd/%: $(e2e)/objects/cubin-zstd/%.o
	@mkdir -p $(@D)
	@$(call link_static,$@,$<,13.0.96)

link_aarch64 = $(aarch64)/bin/aarch64-linux-gnu-g++ -o $(1) $(2) $(aarch64)/runtime/$(3)/lib/$(4) -lpthread -ldl -lrt
static       := libcudart_static.a

$(e2e)/aarch64/13.0-static/%: $(e2e)/objects/aarch64/%.o
	@mkdir -p $(@D)
	@$(call link_aarch64,$@,$<,13.0.96,$(static))
$(e2e)/aarch64/13.5-static/%: $(e2e)/objects/aarch64/%.o
	@mkdir -p $(@D)
	@$(call link_aarch64,$@,$<,13.5.37,$(static))
$(e2e)/aarch64/12.9-static/%: $(e2e)/objects/aarch64-12.9/%.o
	@mkdir -p $(@D)
	@$(call link_aarch64,$@,$<,12.9.79,$(static))
$(e2e)/aarch64/12.4-shared/%: $(e2e)/objects/aarch64-12.9/%.o
	@mkdir -p $(@D)
	@$(call link_aarch64,$@,$<,12.4.127,libcudart.so) -Wl,-rpath,$(aarch64)/runtime/12.4.127/lib

# The start-up walk: one object with 12.9's headers (nvcc 13 takes none older), one with 13.0's.
$(e2e)/objects/startup/12.o: include := -I$(cuda)/runtime/12.9.79/include
$(e2e)/objects/startup/%.o: tests/e2e/startup.cu $(cuda)/stamp tests/e2e/programs.mk
	@mkdir -p $(@D)
	@$(compile) $(ptx) $(include) -c $< -o $@
define startup
$(e2e)/startup/$(1)-shared: $(e2e)/objects/startup/$(firstword $(subst ., ,$(1))).o
	@mkdir -p $$(@D)
	@$$(call link_shared,$$@,$$<,$(1))
$(e2e)/startup/$(1)-static: $(e2e)/objects/startup/$(firstword $(subst ., ,$(1))).o
	@mkdir -p $$(@D)
	@$$(call link_static,$$@,$$<,$(1))
endef
$(foreach version,$(shared_runtimes),$(eval $(call startup,$(version))))

-include $(shell find $(e2e)/objects -name '*.d' 2>/dev/null)
