#!/bin/sh
# Builds heft.wasm, the page that opens a file, and the package for npm.
# usage: [BUILD=build-npm] [NPM_NAME=@OWNER/heft] [OPTIMIZATION=1] bindings/wasm/build.sh [OUT]     OUT: usually BUILD
#   OPTIMIZATION: of heft.wasm, for a test that need not wait for the best (default: 3)
#   NPM_NAME: of the package, for a registry where another has the name heft
#   OUT gets heft-VERSION.tgz, heft-VERSION.html, and package/, which is what the archive has.
here=$(cd "$(dirname "$0")" && pwd) || exit 2
top=$(cd "$here/../.." && pwd) || exit 2
build=${BUILD:-$top/build-npm}
out=${1:-$build}
. "$top/tools/deps.sh"
needs="cmd/clang-19:clang-19 cmd/wasm-ld-19:lld-19 cmd/llvm-ar-19:llvm-19 file/usr/lib/wasm32-wasi/libc.a:wasi-libc
	file/usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a:libclang-rt-19-dev-wasm32
	file/usr/lib/llvm-19/lib/wasm32-wasi/libc++abi.a:libc++abi-19-dev-wasm32 cmd/bzip2:bzip2 cmd/xz:xz-utils
	cmd/meson:meson cmd/ninja:ninja-build cmd/pkg-config:pkg-config cmd/python3:python3"

stop() {
	echo "build.sh: $*" >&2
	exit 1
}

HEFT_NO_INSTALL=1 deps_install "$needs" "" || exit 2
mkdir -p "$build" "$out" || exit 2
build=$(cd "$build" && pwd) && out=$(cd "$out" && pwd) || exit 2
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$top/meson.build")

# Two runs at once would write the same objects.
exec 9>"$build/lock" && flock 9 || stop "cannot lock $build"

# The libraries stay as they are until the script that builds them changes.
if ! cmp -s "$top/tools/wasm_libraries.sh" "$build/libraries/built-by"; then
	"$top/tools/wasm_libraries.sh" "$build/libraries" || exit # 3: a source cannot be fetched
	cp "$top/tools/wasm_libraries.sh" "$build/libraries/built-by"
fi
cross=$top/tools/cross
printf "[binaries]\nc = [%s'clang-19', '--target=wasm32-wasi']\n" "$(command -v ccache >/dev/null && echo "'ccache', ")" >"$build/compiler.ini"
[ -f "$build/heft/build.ninja" ] ||
	deps_quiet meson setup --wrap-mode=nodownload "$build/heft" "$top" --cross-file "$cross/wasi.ini" --cross-file "$cross/npm.ini" \
		--cross-file "$build/libraries/libraries.ini" --cross-file "$build/compiler.ini" \
		${OPTIMIZATION:+-Doptimization="$OPTIMIZATION"} || stop "meson setup fails"
deps_quiet ninja -C "$build/heft" ${JOBS:+-j"$JOBS"} src/heft.wasm || stop "heft.wasm does not build"

package=$out/package
rm -rf "$package"
mkdir -p "$package" && cp "$build/heft/src/heft.wasm" "$here"/*.mjs "$here/heft.d.ts" "$here/README.md" "$top/LICENSE" "$package/" &&
	cp -r "$build/libraries/licences" "$package/" || stop "cannot write to $package"
for name in libc++abi-19-dev-wasm32 wasi-libc; do
	[ ! -e "/usr/share/doc/$name/copyright" ] || cp "/usr/share/doc/$name/copyright" "$package/licences/$name"
done
sed -e "s|\"name\": \".*\"|\"name\": \"${NPM_NAME:-heft}\"|" -e "s/\"version\": \".*\"/\"version\": \"$version\"/" "$here/package.json" >"$package/package.json"
python3 "$here/build_page.py" "$package/heft.wasm" "$build/heft/src/page_parts.h" "$version" "$package/heft.html" ||
	stop "the page cannot be made"
chmod 644 "$package/heft.wasm" && chmod 755 "$package/heft.mjs"
cp "$package/heft.html" "$out/heft-$version.html" &&
	tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -czf "$out/heft-$version.tgz" package ||
	stop "cannot write to $out"
