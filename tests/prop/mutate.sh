#!/bin/sh
# Damages small files, built here and of this system, and measures them.
# usage: tests/prop/mutate.sh PROP FOLDER COUNT|SECONDSs [SEED]
#   a third argument that ends in s is a time: tests/prop/mutate.sh build/tests/prop samples 600s
prop=$1
folder=$2
case $3 in
*s) limit="--seconds ${3%s}" ;;
*) limit="--count $3" ;;
esac
seed=${4:-1}
set -- "$folder"/*
for file in /bin/true /usr/bin/env /usr/lib/*/libdl.so.2 /usr/lib/*/crti.o; do
	[ ! -f "$file" ] || set -- "$@" "$file"
done
[ $# -ge 20 ] || { echo "too few files to damage: $#" && exit 1; }
# shellcheck disable=SC2086
exec "$prop" --seed "$seed" $limit mutate "$@"
