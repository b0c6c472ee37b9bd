#!/bin/sh
# Fails where a file of src/ includes something of a later layer, or a program beside heft something of the library.
cd "$(dirname "$0")/.." || exit 2
order="base image debug names code map heap program project process blocks stack source snapshot compare measure query report api"
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
check cli cli/ base/nearest.h base/os/os.h base/os/shell.h
# A program beside heft is an ordinary user of the library as well, with the command lines of heft and what it
# compiles of base/ for itself.
for folder in programs/*/; do
	name=${folder#programs/}
	check_folder "${folder%/}" "$name" cli/ base/
done

for folder in src/*/; do
	folder=${folder#src/}
	case " $order cli page " in
	*" ${folder%/} "*) ;;
	*)
		echo "src/$folder is no layer"
		bad=1
		;;
	esac
done
exit $bad
