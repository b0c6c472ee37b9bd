#!/bin/sh
# Fails where a file of src/ includes something of a later layer.
cd "$(dirname "$0")/.." || exit 2
order="base image debug names code map heap program project process blocks stack source snapshot query report store api"
bad=0

# check FOLDER ALLOWED...: every #include "x/y.h" below src/FOLDER is one of ALLOWED.
check() {
	folder=$1
	shift
	[ -d "src/$folder" ] || return
	# shellcheck disable=SC2013 # one word a line
	for inc in $(find "src/$folder" -name '*.[ch]' -exec cat {} + |
		sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' | sort -u); do
		case " $* heft.h page_parts.h " in
		*" ${inc%%/*}/ "* | *" $inc "*) ;;
		*)
			grep -rn "include *\"$inc\"" "src/$folder" |
				sed "s|\$| - $folder/ must not include it|"
			bad=1
			;;
		esac
	done
}

below=
for layer in $order; do
	below="$below $layer/"
	# shellcheck disable=SC2086 # a list of words
	check "$layer" $below
done
# The command line is an ordinary user of the library; a few texts are made by what is compiled into it
# as well.
check browse browse/ base/base.h base/tame.h report/number.h
check cli cli/ browse/browse.h base/nearest.h

for folder in src/*/; do
	folder=${folder#src/}
	case " $order browse cli page " in
	*" ${folder%/} "*) ;;
	*)
		echo "src/$folder is no layer"
		bad=1
		;;
	esac
done
exit $bad
