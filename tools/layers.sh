#!/bin/sh
# Fails where a file of src/ includes something of a later layer or knows a format outside image/, where a program beside
# heft includes something of the library, or where nothing builds a file.
cd "$(dirname "$0")/.." || exit 2
order="base linkmap package image unwind runtime debug names code derive map heap program project process holders blocks stack debugowners attr graph source snapshot compare query measure report review page api"
bad=0

# check_folder FOLDER ALLOWED...: every #include "x/y.h" below FOLDER is one of ALLOWED.
check_folder() {
	folder=$1
	shift
	[ -d "$folder" ] || return
	# shellcheck disable=SC2013 # one word a line
	for inc in $(find "$folder" -name '*.[ch]' -exec cat {} + |
		sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' | sort -u); do
		case " $* heft.h page_parts.h " in
		*" ${inc%%/*}/ "* | *" $inc "*) ;;
		*)
			grep -rn "include *\"$inc\"" "$folder" |
				sed "s|\$| - $folder/ must not include it|"
			bad=1
			;;
		esac
	done
}

check() {
	layer=$1
	shift
	check_folder "src/$layer" "$@"
}

below=
for layer in $order; do
	below="$below $layer/"
	# shellcheck disable=SC2086 # a list of words
	check "$layer" $below
done
# The command line is an ordinary user of the library; it finds near words by itself, and asks the system.
check cli cli/ base/assert.h base/fnv.h base/nearest.h base/os/os.h base/os/shell.h
# A program beside heft is an ordinary user of the library as well, with the command lines of heft and what it
# compiles of base/ for itself.
for folder in programs/*/; do
	name=${folder#programs/}
	check_folder "${folder%/}" "$name" cli/ base/
done

# What a format is, is asked in image/ alone: other rooms ask what an image has (image/image.h, image/arch.h).
# The writer of cores (process/live_core.c) states the machine that it runs on.
words='\bEM_[A-Z0-9_]+\b|\bSHT_ARM_EXIDX.*\bEM_|\bR_(X86_64|386|AARCH64|ARM|RISCV|MIPS|PPC|PPC64)_[A-Z]'
words="$words|\b(im|image|core|debug|object|in|images\[[^]]*\])(->|\.)(machine|made|by_build|made_symbols|made_count|made_table|made_strings)\b"
words="$words|\b(elf|macho|pe|coff|wasm|import)_(matches|parse)\b|\b(ar|fat|component|zip|dex|pak|linkmap)_matches\b"
for layer in $order; do
	case $layer in
	base | linkmap | package | image) continue ;;
	esac
	if grep -rnE "$words" "src/$layer" --include='*.[ch]' |
		grep -vE '^src/process/live_core\.c:|^[^:]*:[0-9]+:[[:space:]]*(\*|/\*)'; then
		echo "src/$layer/ asks what a format is: ask what the image has"
		bad=1
	fi
done

for folder in src/*/; do
	folder=${folder#src/}
	case " $order cli " in
	*" ${folder%/} "*) ;;
	*)
		echo "src/$folder is no layer"
		bad=1
		;;
	esac
done

# Files that nothing builds are no longer read by anybody.
for file in $(find src programs -name '*.c' | sed 's|^src/||; s|^programs/[^/]*/||'); do
	cat src/meson.build programs/*/meson.build | grep -qF "$file" || {
		echo "$file: no meson.build names it"
		bad=1
	}
done
exit $bad
