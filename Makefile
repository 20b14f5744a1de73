# SPDX-License-Identifier: MIT
# `make help` says what there is. Everything that is built lies below $(O); with the default O the
# program is also put beside this file.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

O       ?= build
V       ?= 0
PREFIX  ?= /usr/local
DESTDIR ?=
CLANG   ?= clang
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool)
PKG_CONFIG ?= pkg-config
INSTALL ?= install
CFLAGS  ?= -O2 -g
ifeq ($(origin CC),default)
CC      := gcc
endif

override O := $(patsubst %/,%,$(O))

all:
.PHONY: all bench-micro tests fuzzers check check-unit check-cli check-root check-vm lint fuzz clean help install uninstall FORCE

ifeq ($(V),1)
Q   :=
say  =
else
Q   := @
say  = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

# --- what is asked for ------------------------------------------------------------------------------

# Goals that compile nothing need no library and no tool.
BUILDING := $(filter-out clean help lint uninstall,$(or $(MAKECMDGOALS),all))

ifneq ($(BUILDING),)

# $(1): module and version as pkg-config takes it, $(2): what it is for a reader, $(3): Debian's package
define need_module
$(if $(shell $(PKG_CONFIG) --exists '$(1)' 2>&1 && echo found),,\
  $(error $(2) is missing: install $(3), or run `scripts/bootstrap.sh build`, which does))
endef
define need_tool
$(if $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v $(firstword $(1))),,\
  $(error $(2) is missing: install $(3), or run `scripts/bootstrap.sh build`, which does))
endef

$(call need_tool,$(PKG_CONFIG),pkg-config,the package pkg-config)
$(call need_tool,$(CC),the C compiler $(CC),the package of that name)
$(call need_tool,$(CLANG),clang (it compiles the BPF programs),the package clang)
$(call need_tool,$(or $(BPFTOOL),bpftool),bpftool,the package bpftool)
$(call need_module,libbpf >= 1.1,libbpf 1.1 or newer,the package libbpf-dev)
$(call need_module,libelf,libelf,the package libelf-dev)
$(call need_module,zlib,zlib,the package zlib1g-dev)
$(call need_module,jansson,jansson,the package libjansson-dev)
ifneq ($(filter tests check check-unit,$(BUILDING)),)
$(call need_module,cmocka,cmocka (the unit tests need it),the package libcmocka-dev)
endif

LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags libbpf libelf zlib jansson)
LIBS       := $(shell $(PKG_CONFIG) --libs libbpf libelf zlib jansson) -pthread -lm
CMOCKA      = $(shell $(PKG_CONFIG) --cflags --libs cmocka)

ARCH     ?= $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
BPF_ARCH := $(or $(patsubst x86_64,x86,$(filter x86_64,$(ARCH))),$(if $(filter arm64 aarch64,$(ARCH)),arm64))
ifeq ($(BPF_ARCH),)
$(error proctrace is built for x86_64 and arm64, not for $(ARCH))
endif

IS_CLANG := $(findstring clang,$(shell $(CC) --version))

endif # BUILDING

# --- flags ------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wcast-qual \
	-Wwrite-strings -Wformat=2 -Wvla
WARN_DEVELOPER := -Werror -Wundef -Wold-style-definition -Wredundant-decls -Wnested-externs \
	-Wimplicit-fallthrough -Wunused
WARN_GCC := -Wlogical-op -Wduplicated-cond
ifeq ($(DEVELOPER),1)
WARN += $(WARN_DEVELOPER) $(if $(IS_CLANG),,$(WARN_GCC))
BPF_WERROR := -Werror
LD_WERROR := -Wl,--fatal-warnings
endif

# A finding must end the program with a failure, undefined behaviour too.
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)

# The skeleton comes in by -I: from a system folder it would be no dependency, and a stale BPF program
# would stay in the binary.
CPP_FLAGS = -D_GNU_SOURCE -Iuser -I. -I$(O) -I$(O)/bpf $(LIB_CFLAGS) $(CPPFLAGS)
MAP_FLAGS = -ffile-prefix-map=$(CURDIR)/= -ffile-prefix-map=$(CURDIR)=.
CC_FLAGS  = -std=gnu11 -pthread $(WARN) $(MAP_FLAGS) $(CPP_FLAGS) $(CFLAGS) $(SAN_FLAGS)
LD_FLAGS  = $(CFLAGS) $(SAN_FLAGS) $(LD_WERROR) $(LDFLAGS)
DEP_FLAGS = -MMD -MP

# No path of this machine may end up in the BPF object: it is the same wherever it is built. The v3
# instructions (Linux 5.1) have 32-bit arithmetic: without it, the verifier loses the bounds of lengths.
BPF_FLAGS = -g -O2 -target bpf -mcpu=v3 -std=gnu11 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra $(BPF_WERROR) \
	-Ivmlinux -Ibpf $(LIB_CFLAGS) $(MAP_FLAGS) -fdebug-compilation-dir=.

# The target of the load generator: as little as a process can be, and never sanitized.
TESTAPP_FLAGS = -std=gnu11 -Os -Wall -Wextra -static -nostdlib -ffreestanding -fno-pie \
	-fno-stack-protector -fno-asynchronous-unwind-tables $(MAP_FLAGS) \
	-Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-s

FUZZ_FLAGS = -std=gnu11 -pthread $(filter-out $(WARN_GCC),$(WARN)) $(MAP_FLAGS) $(CPP_FLAGS) -O1 -g \
	-fno-omit-frame-pointer -fno-sanitize-recover=all

# --- files ------------------------------------------------------------------------------------------

# Each .c below user/ belongs to the program, except the load generator's target.
SOURCES  := $(filter-out user/load/testapp.c,$(sort $(wildcard user/*/*.c))) $(wildcard user/*/*.S)
LIB_OBJS := $(addprefix $(O)/,$(addsuffix .o,$(basename $(SOURCES))))
MAIN_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard user/main.c))

SKELETON := $(O)/bpf/proctrace.skel.h

TEST_SOURCES := $(sort $(wildcard tests/unit/*.c))
TEST_HELPERS := $(patsubst %.c,$(O)/%.o,$(filter-out tests/unit/test_%,$(TEST_SOURCES)))
TESTS        := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(filter tests/unit/test_%,$(TEST_SOURCES)))

FUZZERS      := $(patsubst tests/fuzz/%.c,$(O)/tests/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_OBJS    := $(LIB_OBJS:$(O)/%=$(O)/fuzz/%)

PROGRAM := $(O)/proctrace
ifeq ($(O),build)
PROGRAM += proctrace
endif

all: $(PROGRAM)
tests: $(TESTS)
fuzzers: $(FUZZERS)

# --- changed flags ----------------------------------------------------------------------------------

# $(call stamp,NAME,TEXT): $(O)/.flags-NAME holds the flags of the last build. It is out of date, and
# written, only if they differ now; what was built with them depends on it.
# (Make expands a recipe before it runs it, so the folder has to be there already.)
$(if $(BUILDING),$(shell mkdir -p $(O)))

define stamp
stamp_$(1) := $(2)
ifneq ($$(strip $$(file <$(O)/.flags-$(1))),$$(strip $$(stamp_$(1))))
$(O)/.flags-$(1): FORCE
endif
$(O)/.flags-$(1):
	$$(file >$$@,$$(strip $$(stamp_$(1))))@:
endef

$(eval $(call stamp,cc,$(CC) $(CC_FLAGS)))
$(eval $(call stamp,ld,$(CC) $(LD_FLAGS) $(LIBS) $(LIB_OBJS) $(TEST_HELPERS)))
$(eval $(call stamp,bpf,$(CLANG) $(BPF_FLAGS) $(BPFTOOL)))
$(eval $(call stamp,testapp,$(CC) $(TESTAPP_FLAGS)))
$(eval $(call stamp,fuzz,$(CLANG) $(FUZZ_FLAGS) $(LIBS) $(LIB_OBJS)))

# --- rules ------------------------------------------------------------------------------------------

$(O)/bpf/proctrace.bpf.tmp.o: bpf/proctrace.bpf.c $(O)/.flags-bpf
	$(call say,BPF,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) $(DEP_FLAGS) -MF $(@:.o=.d) -c $< -o $@

# Links the one object, which drops DWARF and keeps BTF.
$(O)/bpf/proctrace.bpf.o: $(O)/bpf/proctrace.bpf.tmp.o
	$(Q)$(BPFTOOL) gen object $@ $<

$(SKELETON): $(O)/bpf/proctrace.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name proctrace_bpf >$@

$(O)/testapp: user/load/testapp.c $(O)/.flags-testapp
	$(call say,TESTAPP,$<)mkdir -p $(@D)
	$(Q)$(CC) $(TESTAPP_FLAGS) $(DEP_FLAGS) -MF $@.d $< -o $@

$(O)/%.o: %.c $(O)/.flags-cc | $(SKELETON)
	$(call say,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(CC_FLAGS) $(DEP_FLAGS) -c $< -o $@

$(O)/%.o $(O)/fuzz/%.o: %.S $(O)/testapp $(O)/.flags-cc
	$(call say,AS,$<)mkdir -p $(@D)
	$(Q)$(CC) -I$(O) -Wa,-I$(O) -c $< -o $@

$(O)/proctrace: $(MAIN_OBJ) $(LIB_OBJS) $(O)/.flags-ld
	$(call say,LD,$@)$(CC) $(LD_FLAGS) $(filter %.o,$^) $(LIBS) -o $@

ifeq ($(O),build)
proctrace: $(O)/proctrace
	$(Q)cp -f $< $@
endif

# All but main.o, for the tests; each takes what it needs.
$(O)/proctrace.a: $(LIB_OBJS) $(O)/.flags-ld
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(O)/tests/unit/test_%: $(O)/tests/unit/test_%.o $(TEST_HELPERS) $(O)/proctrace.a
	$(call say,LD,$@)$(CC) $(LD_FLAGS) $(filter %.o %.a,$^) $(LIBS) $(CMOCKA) -o $@

$(O)/tests/micro/micro: $(O)/tests/micro/micro.o $(O)/proctrace.a
	$(call say,LD,$@)$(CC) $(LD_FLAGS) $(filter %.o %.a,$^) $(LIBS) -o $@

$(O)/fuzz/%.o: %.c $(O)/.flags-fuzz | $(SKELETON)
	$(call say,FUZZCC,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined $(DEP_FLAGS) -c $< -o $@

$(O)/fuzz/proctrace.a: $(FUZZ_OBJS) $(O)/.flags-fuzz
	$(call say,FUZZAR,$@)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(O)/tests/fuzz/fuzz_%: $(O)/fuzz/tests/fuzz/fuzz_%.o $(O)/fuzz/proctrace.a
	$(call say,FUZZLD,$@)mkdir -p $(@D)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined $(filter %.o %.a,$^) $(LIBS) -o $@

.SECONDARY:

-include $(patsubst %.o,%.d,$(LIB_OBJS) $(MAIN_OBJ) $(FUZZ_OBJS) $(TEST_SOURCES:%.c=$(O)/%.o) \
	$(O)/tests/micro/micro.o \
	$(FUZZERS:$(O)/%=$(O)/fuzz/%.o) $(O)/bpf/proctrace.bpf.tmp.o $(O)/testapp.o)

# --- tests, tidying, installing ---------------------------------------------------------------------

RUN_TESTS = +$(Q)O='$(O)' CC='$(CC)' scripts/run-tests.sh

check:
	$(RUN_TESTS)
check-unit:
	$(RUN_TESTS) unit
check-cli:
	$(RUN_TESTS) cli
check-root:
	$(RUN_TESTS) root
check-vm:
	$(RUN_TESTS) vm
# BASELINE=FILE compares with a run that SAVE=FILE kept.
bench-micro: $(O)/tests/micro/micro
	$(Q)$< $(if $(SAVE),--save '$(SAVE)') $(if $(BASELINE),--baseline '$(BASELINE)')
fuzz:
	$(RUN_TESTS) fuzz
lint:
	$(Q)scripts/lint.sh

clean:
	$(Q)rm -rf $(O) $(if $(filter build,$(O)),proctrace)

BINDIR  = $(DESTDIR)$(PREFIX)/bin
MANDIR  = $(DESTDIR)$(PREFIX)/share/man/man8
COMPDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
MAN        := $(wildcard user/proctrace.8)
COMPLETION := $(wildcard scripts/completion)

install: $(O)/proctrace
	$(Q)$(INSTALL) -D -m 755 $(O)/proctrace "$(BINDIR)/proctrace"
	$(if $(MAN),$(Q)$(INSTALL) -D -m 644 $(MAN) "$(MANDIR)/proctrace.8")
	$(if $(COMPLETION),$(Q)$(INSTALL) -D -m 644 $(COMPLETION) "$(COMPDIR)/proctrace")

uninstall:
	$(Q)rm -f "$(BINDIR)/proctrace" "$(MANDIR)/proctrace.8" "$(COMPDIR)/proctrace"

help:
	@sed -n 's/^#help//p' $(firstword $(MAKEFILE_LIST))

#help Targets
#help   all           the program (default)
#help   check         all tests; root tests when root          (also check-unit, check-cli, check-root, fuzz)
#help   check-vm      boots other kernels under QEMU and checks there; not part of check (many minutes)
#help   bench-micro   what small steps cost; SAVE=FILE keeps it, BASELINE=FILE compares with such a file
#help   lint          style, shell scripts, who includes whom, sizes
#help   install       program, man page, completion, below DESTDIR and PREFIX; uninstall removes them
#help   clean         remove what was built
#help Options
#help   V=1           print each command
#help   O=dir         build in that folder; the program is dir/proctrace (default: build, and ./proctrace)
#help   DEVELOPER=1   more warnings, each an error
#help   SAN=list      sanitizers: address,undefined or thread
#help   CC=clang      the compiler (the BPF programs are always compiled by CLANG=clang)
#help   ARCH=arm64    build for another machine, with CC=aarch64-linux-gnu-gcc
#help   PREFIX=/usr/local  DESTDIR=  CFLAGS  CPPFLAGS  LDFLAGS  BPFTOOL  PKG_CONFIG
