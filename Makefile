# A thin front for meson, for people who type make.  `make help` names the verbs.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= cc
CLANG ?= $(shell command -v clang-19 || command -v clang || echo cc)
# Seconds and target of `make fuzz`.
T ?= elf
SECS ?= 60
MESON = $(if $(shell command -v meson && command -v ninja),meson setup --wrap-mode=nodownload,$(error \
	meson or ninja is missing; on Debian and Ubuntu "sudo apt build-dep ./" installs what heft needs))
TEST = meson test --print-errorlogs

all: build
build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	$(MESON) $(BUILD) --prefix $(PREFIX)

test: build
	$(TEST) -C $(BUILD)

check: # everything CI runs
	.ci/run

lint: build
	tools/lint.sh $(BUILD)

fmt:
	find . -name '*.[ch]' -not -path './build*' | xargs clang-format-19 -i

asan:
	test -f build-asan/build.ninja || CC=$(CLANG) $(MESON) build-asan -Db_lundef=false \
		-Db_sanitize=address,undefined
	$(TEST) -C build-asan --timeout-multiplier 4

tsan:
	test -f build-tsan/build.ninja || CC=$(CLANG) $(MESON) build-tsan -Db_lundef=false \
		-Db_sanitize=thread
	$(TEST) -C build-tsan --timeout-multiplier 4 --suite parallel

fuzz:
	test -f build-fuzz/build.ninja || CC=$(CLANG) $(MESON) build-fuzz -Dfuzz=true \
		-Db_lundef=false -Db_sanitize=address,undefined
	ninja -C build-fuzz fuzz/fuzz_$(T)
	mkdir -p build-fuzz/corpus/$(T)
	cd build-fuzz && UBSAN_OPTIONS=halt_on_error=1 ./fuzz/fuzz_$(T) -max_total_time=$(SECS) -print_final_stats=1 \
		corpus/$(T) ../fuzz/corpus/$(T)

bench: build
	HEFT=$(abspath $(BUILD))/src/heft bench/run

bless: build
	HEFT=$(abspath $(BUILD))/src/heft tests/golden/run.sh --bless

install: $(BUILD)/build.ninja
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	ninja -C $(BUILD)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild
	test -n "$(DESTDIR)" || ldconfig || true

static: # one program that needs no library
	test -f build-static/build.ninja || $(MESON) build-static --native-file tools/cross/static.ini
	ninja -C build-static src/heft
	strip build-static/src/heft

npm: # heft.wasm, its package, and the page that opens a file
	bindings/wasm/build.sh

release: # usage: make release URL=ADDRESS
	tools/release.sh

clean:
	rm -rf build build-asan build-tsan build-fuzz build-try build-check build-static build-static-arm64 build-npm build-npm-quick build-release \
		build-windows release

help:
	@echo 'make [build]   debug build in build/       make asan    tests under ASan and UBSan'
	@echo 'make test      all tests                   make tsan    parallel tests under TSan'
	@echo 'make check     everything CI runs          make fuzz T=elf SECS=60'
	@echo 'make lint      format, layers, cppcheck    make bench   measures, writes JSON'
	@echo 'make fmt       lay the C files out         make bless   accept new golden output'
	@echo 'make install DESTDIR= PREFIX=/usr/local    make clean   remove what was built'
	@echo 'make static    heft without libraries      make release URL=   what a release has, in release/'
	@echo 'make npm       WebAssembly, in build-npm/'

.PHONY: all build test check lint fmt asan tsan fuzz bench bless install static npm release clean help
