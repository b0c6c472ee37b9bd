# Sourced by ./try, ./check and .ci/run: installs what is missing on Debian and Ubuntu.  Plain sh;
# nothing but a shell, the core utilities and perhaps apt-get may be there.
# shellcheck shell=sh disable=SC2034 # the lists are for who sources this

# What building needs, as "probe:package".  cmd/X is a program, pc/X a pkg-config module, lib/X what
# the linker finds as -lX, so/X a shared library, file/X a path, m32/ a compiler that links for 32 bits.
deps_build="cmd/cc:gcc hdr/stdio.h:libc6-dev cmd/ninja:ninja-build cmd/meson:meson
	cmd/pkg-config:pkg-config pc/libisal:libisal-dev pc/zlib:zlib1g-dev pc/libzstd:libzstd-dev
	pc/liblzma:liblzma-dev pc/liblz4:liblz4-dev pc/libpcre2-8:libpcre2-dev pc/sqlite3:libsqlite3-dev
	lib/iberty:libiberty-dev"

# What the tests need besides.
deps_test="pc/cmocka:libcmocka-dev cmd/readelf:binutils cmd/python3:python3 cmd/xz:xz-utils
	cmd/g++:g++"

# What makes heft or its tests better; each is tried alone, and done without.
deps_build_wish="file/usr/lib/llvm-19/lib/libc++abi.a:libc++abi-19-dev pc/capstone:libcapstone-dev pc/ncursesw:libncurses-dev
	pc/libcurl:libcurl4-openssl-dev pc/libpq:libpq-dev"
deps_test_wish="cmd/clang-19:clang-19 cmd/ld.lld-19:lld-19 cmd/llvm-readelf-19:llvm-19 cmd/llvm-bolt-19:bolt-19
	cmd/x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64
	file/usr/lib/wasm32-wasi/libc.a:wasi-libc
	file/usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a:libclang-rt-19-dev-wasm32
	file/usr/lib/llvm-19/lib/wasm32-wasi/libc++abi.a:libc++abi-19-dev-wasm32 cmd/node:nodejs
	cmd/wine:wine file/usr/x86_64-w64-mingw32/lib/libz.a:libz-mingw-w64-dev file/usr/lib/python3/dist-packages/pandas:python3-pandas
	cmd/i686-linux-gnu-gcc:gcc-i686-linux-gnu file/usr/i686-linux-gnu/include/string.h:libc6-dev-i386-cross
	cmd/arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf file/usr/arm-linux-gnueabihf/include/string.h:libc6-dev-armhf-cross
	cmd/clang-format-19:clang-format-19 file/usr/lib/llvm-19/lib/clang/19/include:libclang-rt-19-dev
	file/usr/include/Zydis/Zydis.h:libzydis-dev cmd/cppcheck:cppcheck cmd/mandoc:mandoc cmd/shellcheck:shellcheck
	cmd/eu-readelf:elfutils cmd/zstd:zstd cmd/lz4:lz4 cmd/dwz:dwz cmd/mold:mold cmd/gdb:gdb cmd/valgrind:valgrind
	cmd/arm-none-eabi-gcc:gcc-arm-none-eabi cmd/riscv64-unknown-elf-gcc:gcc-riscv64-unknown-elf cmd/avr-gcc:gcc-avr file/usr/lib/avr/include/avr/io.h:avr-libc cmd/xtensa-lx106-elf-gcc:gcc-xtensa-lx106 file/usr/lib/xtensa-lx106-elf/include/string.h:picolibc-xtensa-lx106-elf
	file/usr/lib/picolibc/riscv64-unknown-elf/lib/libc.a:picolibc-riscv64-unknown-elf
	file/usr/include/newlib/stdio.h:libnewlib-arm-none-eabi cmd/qemu-system-riscv32:qemu-system-misc
	cmd/riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu file/usr/riscv64-linux-gnu/include/string.h:libc6-dev-riscv64-cross
	cmd/qemu-system-arm:qemu-system-arm cmd/qemu-aarch64:qemu-user
	cmd/aarch64-linux-gnu-g++:g++-aarch64-linux-gnu file/usr/aarch64-linux-gnu/include/string.h:libc6-dev-arm64-cross
	cmd/powerpc-linux-gnu-gcc:gcc-powerpc-linux-gnu file/usr/powerpc-linux-gnu/include/string.h:libc6-dev-powerpc-cross
	cmd/s390x-linux-gnu-gcc:gcc-s390x-linux-gnu file/usr/s390x-linux-gnu/include/string.h:libc6-dev-s390x-cross
	m32/:libc6-dev-i386 m32/:lib32gcc-GCC-dev cmd/dexdump:dexdump cmd/create_gcov:autofdo cmd/perf:linux-perf
	file/usr/lib/postgresql/15/bin/initdb:postgresql cmd/clickhouse-server:clickhouse-server cmd/dh:debhelper cmd/dh_python3:dh-python pc/libdebuginfod:libdebuginfod-dev cmd/yamllint:yamllint file/usr/lib/python3/dist-packages/yaml:python3-yaml cmd/zsh:zsh cmd/fish:fish cmd/sqlite3:sqlite3 cmd/git:git file/usr/share/i18n/locales/de_DE:locales cmd/ccache:ccache cmd/make:make cmd/go:golang-go cmd/chromium:chromium cmd/tmux:tmux so/libjemalloc.so.2:libjemalloc2
	cmd/gfortran:gfortran cmd/fpc:fp-compiler cmd/ocamlopt:ocaml-nox cmd/nim:nim cmd/gdc:gdc
	cmd/musl-gcc:musl-tools cmd/redis-server:redis-server so/libtcmalloc_minimal.so.4:libtcmalloc-minimal4 so/libmimalloc.so.2:libmimalloc2.0"

deps_say() {
	echo "$*" >&2
}

# Can the compiler do this?  $1: source text, the rest: flags.
deps_compiles() {
	text=$1
	shift
	command -v cc >/dev/null 2>&1 || return 1
	printf '%s\n' "$text" | cc -x c - -o /dev/null "$@" >/dev/null 2>&1
}

deps_present() {
	case $1 in
	cmd/*) command -v "${1#cmd/}" >/dev/null 2>&1 ;;
	pc/*) pkg-config --exists "${1#pc/}" 2>/dev/null ;;
	lib/*) deps_compiles 'int main(void) { return 0; }' "-l${1#lib/}" ;;
	hdr/*) deps_compiles "#include <${1#hdr/}>
int main(void) { return 0; }" ;;
	file/*) [ -e "${1#file}" ] ;;
	so/*) find /usr/lib /usr/lib64 -maxdepth 2 -name "${1#so/}" 2>/dev/null | grep -q . ;;
	m32/*) deps_compiles '#include <stdio.h>
int main(void) { return 0; }' -m32 ;;
	esac
}

# Prints the packages of the probes that fail; GCC in a name stands for the version of gcc.
deps_missing() {
	for pair in "$@"; do
		deps_present "${pair%%:*}" && continue
		printf '%s\n' "${pair#*:}" | sed "s/GCC/$(gcc -dumpversion 2>/dev/null)/"
	done
}

deps_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif [ -t 0 ] && [ -z "$CI" ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

# Another process may hold the locks of apt and of dpkg: waits for it, at most 10 minutes.
deps_apt() {
	deps_left=120
	while :; do
		deps_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -q -y \
			-o DPkg::Lock::Timeout=600 "$@" >"$deps_log" 2>&1 </dev/null && return
		grep -q '^E: Could not get lock' "$deps_log" && [ "$deps_left" -gt 0 ] || return
		[ "$deps_left" -lt 120 ] || deps_say "another process holds apt's lock; waiting for it"
		deps_left=$((deps_left - 1))
		sleep "${deps_pause:-5}"
	done
}

# Why deps_apt failed.
deps_reason() {
	sed -n 's/^E: //p' "$deps_log" | head -n 1 | grep . || echo "apt-get failed without a reason"
}

# Those of the packages that apt knows; of the others it says that they are not there.
deps_known() {
	for package in "$@"; do
		if LC_ALL=C.UTF-8 apt-cache policy "$package" 2>/dev/null | grep -q '^  Candidate: [^(]'; then
			echo "$package"
		else
			deps_say "$package: this system has no such package; going on without"
		fi
	done
}

# Says how many packages an installation of these is, and how large.
deps_announce() {
	deps_say "installing" "$@"
	LC_ALL=C.UTF-8 apt-get --print-uris -y --no-install-recommends install "$@" 2>/dev/null |
		sed -n -e 's/^[0-9]* upgraded, \([0-9]*\) newly installed.*/  \1 packages with what they need/p' \
			-e 's/^Need to get \(.*\) of archives\.$/  \1 to fetch/p' \
			-e 's/^After this operation, \(.*\) of additional.*/  \1 on disk/p' >&2
	deps_say "  (HEFT_NO_INSTALL=1 installs nothing)"
}

deps_can_install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1
}

# deps_install NEEDED WISHES: lists of probe:package.  False where something needed cannot be had.
deps_install() {
	# shellcheck disable=SC2086 # lists of words, here and below
	need=$(deps_missing $1)
	# shellcheck disable=SC2086
	wish=$(deps_missing $2)
	[ -n "$need$wish" ] || return 0
	if [ -n "${HEFT_NO_INSTALL-}" ] || ! deps_can_install; then
		# shellcheck disable=SC2086
		[ -z "$wish" ] || deps_say "done without:" $wish
		[ -z "$need" ] && return 0
		deps_say "These are needed and are not installed from here (HEFT_NO_INSTALL, no apt-get, or"
		deps_say "neither root nor sudo), by their Debian names:"
		deps_say "$need"
		return 1
	fi
	deps_log=$(mktemp)
	# shellcheck disable=SC2086
	deps_fetch "$need" "$wish"
	set -- $?
	rm -f "$deps_log"
	return "$1"
}

# The same of packages that are missing, with a log.
deps_fetch() {
	deps_apt update ||
		deps_say "apt-get update: $(deps_reason); trying with the package lists there are"
	# shellcheck disable=SC2086
	wish=$(deps_known $2)
	[ -n "$1$wish" ] || return 0
	# shellcheck disable=SC2086
	deps_announce $1 $wish
	# shellcheck disable=SC2086
	if [ -n "$1" ] && ! deps_apt install --no-install-recommends $1; then
		tail -n 15 "$deps_log" >&2
		return 1
	fi
	for package in $wish; do
		deps_apt install --no-install-recommends "$package" ||
			deps_say "$package: $(deps_reason); going on without"
	done
}

# deps_quiet COMMAND...: its output is shown only if it fails.
deps_quiet() {
	quiet_log=$(mktemp)
	"$@" >"$quiet_log" 2>&1 </dev/null
	quiet_status=$?
	[ "$quiet_status" -eq 0 ] || tail -n 60 "$quiet_log" >&2
	rm -f "$quiet_log"
	return "$quiet_status"
}

# deps_setup DIR OPTION...: configures a build folder, once.
deps_setup() {
	dir=$1
	shift
	[ -f "$dir/build.ninja" ] && return
	rm -rf "$dir"
	deps_quiet meson setup --wrap-mode=nodownload "$dir" "$@"
}

# deps_count DIR: adds the results of the last `meson test` in DIR to $passed, $failed and $skipped, and to $told a
# line for each that did not run, with its reason and what to install, and the end of the output of each that failed.
deps_count() {
	counted=$(python3 tools/results.py "$1") || {
		failed=$((failed + 1))
		return
	}
	lines=$(printf '%s\n' "$counted" | sed '$d')
	[ -z "$lines" ] || told="$told$lines
"
	# shellcheck disable=SC2046 # three numbers
	set -- $(printf '%s\n' "$counted" | tail -n 1)
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# deps_verdict: what ./check and .ci/run end with.
deps_verdict() {
	printf '%s' "$told"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
