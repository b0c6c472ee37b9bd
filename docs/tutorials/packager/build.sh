#!/bin/sh
# Builds release N of the package: ledger_N.deb, as a distribution ships it, and ledger-dbgsym_N.deb with its debug file.
set -eu
n=$1
rm -rf tree debug
mkdir -p tree/usr/bin tree/DEBIAN debug/DEBIAN
gcc -g -O2 -fPIE -pie -Wl,-z,relro,-z,now -Wl,--build-id -D_FORTIFY_SOURCE=2 -DRELEASE="$n" -o tree/usr/bin/ledger ledger.c
id=$(readelf -n tree/usr/bin/ledger | sed -n 's/.*Build ID: //p')
file=debug/usr/lib/debug/.build-id/$(printf %.2s "$id")/${id#??}.debug
mkdir -p "${file%/*}"
objcopy --only-keep-debug tree/usr/bin/ledger "$file"
strip --remove-section=.comment tree/usr/bin/ledger
for package in tree:ledger debug:ledger-dbgsym; do
	printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: an example\n' \
		"${package#*:}" "$n" >"${package%:*}/DEBIAN/control"
	dpkg-deb --root-owner-group --build "${package%:*}" "${package#*:}_$n.deb" >/dev/null
done
rm -r tree debug
