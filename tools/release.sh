#!/bin/sh
# Makes what a release has: the source, programs for Linux and Windows, the wheel of Python, the package for npm and the page
# that opens a file, recipes of packages, checksums.
# Version and text are those of meson.build and CHANGELOG.md.  What a missing compiler prevents is told and left out.
# usage: [URL=ADDRESS] [OUT=release] [TRIAL=1] tools/release.sh
#   URL: where the files will be, for the recipes; TRIAL=1: also with changes that no commit has, and without a section
#   of CHANGELOG.md
cd "$(dirname "$0")/.." || exit 2
. tools/deps.sh
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
out=${OUT:-release}
left_out=

stop() {
	echo "release: $*" >&2
	exit 1
}

# section NAME: the lines of CHANGELOG.md below "## [NAME]".
section() {
	awk -v head="## [$1]" 'index($0, "## ") == 1 { inside = index($0, head) == 1; next } inside' CHANGELOG.md
}

# built DIR TARGET OPTION...: configures and builds one target.
built() {
	dir=$1 target=$2
	shift 2
	deps_setup "$dir" -Dtests=false "$@" && deps_quiet ninja -C "$dir" "$target"
}

# packed NAME FILE: a folder NAME with the program and what goes with it.
packed() {
	mkdir -p "$out/$1" || stop "cannot make $out/$1"
	cp "$2" LICENSE README.md man/heft.1 "$out/$1/" || stop "cannot write to $out/$1"
}

# unix_program MACHINE STRIP BUILD [RECORDER]: packs the static program of a build.
unix_program() {
	name=heft-$version-linux-$1
	packed "$name" "$3/src/heft"
	[ -z "${4-}" ] || "$2" --strip-unneeded -o "$out/$name/${4##*/}" "$4" || stop "$2 fails"
	cp -r share/completions man/heft-heap.1 man/heft-snapshots.1 "$out/$name/"
	"$2" "$out/$name/heft" || stop "$2 fails"
	tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$out/$name.tar.xz" "$name"
	rm -r "${out:?}/$name"
}

grep -q "^heft ($version)" debian/changelog || stop "debian/changelog has another version than $version"
notes=$(section "$version")
if [ -z "${TRIAL:-}" ]; then
	[ -n "$notes" ] || stop "CHANGELOG.md has no section [$version]"
	[ -z "$(git status --porcelain)" ] || stop "there are changes that no commit has"
fi
rm -rf "$out"
mkdir -p "$out/packaging" || exit
[ -n "$notes" ] || notes=$(section Unreleased)
printf '%s\n' "$notes" >"$out/NOTES.md"

echo "heft $version: source"
deps_setup build-release --buildtype=release -Dtests=false || stop "meson setup fails"
deps_quiet meson dist -C build-release --no-tests --formats xztar ${TRIAL:+--allow-dirty} || stop "meson dist fails"
cp "build-release/meson-dist/heft-$version.tar.xz" "$out/"

echo "heft $version: Linux"
built build-static src/heft --native-file tools/cross/static.ini || stop "the static program does not build"
built build-release recorder/libheft-heap.so || stop "the recorder does not build"
unix_program "$(uname -m)" strip build-static build-release/recorder/libheft-heap.so
if [ "$(uname -m)" != aarch64 ]; then
	if pkg-config --with-path=/usr/lib/aarch64-linux-gnu/pkgconfig --exists zlib 2>/dev/null &&
		[ -e /usr/lib/aarch64-linux-gnu/libiberty.a ] && command -v aarch64-linux-gnu-gcc >/dev/null; then
		built build-static-arm64 src/heft --cross-file tools/cross/arm64.ini --cross-file tools/cross/static.ini ||
			stop "the static program for AArch64 does not build"
		unix_program aarch64 aarch64-linux-gnu-strip build-static-arm64
	else
		left_out="$left_out AArch64 (gcc-aarch64-linux-gnu and the libraries of arm64, see tools/cross/arm64.ini);"
	fi
fi

if command -v x86_64-w64-mingw32-gcc-posix >/dev/null; then
	echo "heft $version: Windows"
	built build-windows src/heft.exe --cross-file tools/cross/mingw64.ini --cross-file tools/cross/small.ini \
		--buildtype=release || stop "heft.exe does not build"
	packed "heft-$version-windows-x86_64" build-windows/src/heft.exe
	x86_64-w64-mingw32-strip "$out/heft-$version-windows-x86_64/heft.exe"
	(cd "$out" && python3 -m zipfile -c "heft-$version-windows-x86_64.zip" "heft-$version-windows-x86_64/" &&
		rm -r "heft-$version-windows-x86_64") || stop "the archive for Windows cannot be written"
else
	left_out="$left_out Windows (gcc-mingw-w64-x86-64, libz-mingw-w64-dev);"
fi

if [ -e /usr/lib/wasm32-wasi/libc.a ] && [ -e /usr/lib/llvm-19/lib/wasm32-wasi/libc++abi.a ]; then
	echo "heft $version: WebAssembly"
	bindings/wasm/build.sh "$out"
	case $? in
	0) rm -r "$out/package" ;;
	3) left_out="$left_out WebAssembly (the sources of its libraries cannot be fetched);" ;;
	*) stop "the package for npm does not build" ;;
	esac
else
	left_out="$left_out WebAssembly (wasi-libc libclang-rt-19-dev-wasm32 libc++abi-19-dev-wasm32);"
fi

python3 bindings/python/build.py wheel "$out" || stop "the wheel cannot be made"

# sum ALGORITHM FILE
sum() {
	"$1sum" "$out/$2" | cut -d' ' -f1
}
for recipe in share/packaging/*; do
	sed -e "s|@URL@|${URL:-file://$(cd "$out" && pwd)}|g" -e "s|@VERSION@|$version|g" \
		-e "s|@SHA256@|$(sum sha256 "heft-$version.tar.xz")|g" -e "s|@SHA512@|$(sum sha512 "heft-$version.tar.xz")|g" \
		-e "s|@LINUX_SHA256@|$(sum sha256 "heft-$version-linux-$(uname -m).tar.xz")|g" \
		-e "s|@MACHINE@|$(uname -m)|g" "$recipe" >"$out/packaging/${recipe##*/}"
done
(cd "$out" && sha256sum heft-* >SHA256SUMS && cat SHA256SUMS && ls -l heft-*)
[ -z "$left_out" ] || echo "left out:$left_out" | sed 's/;$//'
