#!/bin/sh
# Lines and inline stacks of the sources inlines, sourcefiles and inlinestacks against llvm-symbolizer.
# usage: sources.sh HEFT [FILE...]; without files, of programs built here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
symbolizer=${SYMBOLIZER:-llvm-symbolizer-19}
need python3 python3 "$symbolizer" llvm-19 g++ g++
scratch

build() {
	mkdir -p "$tmp/src/lib" "$tmp/src/app" "$tmp/out"
	cat > "$tmp/src/lib/util.h" <<'CC'
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace util {
inline int square(int x) { return x * x; }
template <class T> inline T clamp(T v, T low, T high) { return v < low ? low : high < v ? high : v; }
struct Table {
	std::map<std::string, std::vector<int>> rows;
	Table() = default;
	void add(const std::string &key, int v) { rows[key].push_back(clamp(square(v), 1, 1000)); }
	int sum() const;
};
}
CC
	cat > "$tmp/src/lib/util.cc" <<'CC'
#include "util.h"
namespace util {
static int each(const std::vector<int> &v)
{
	int n = 0;
	for (int x : v)
		n += square(x) ^ clamp(x, 3, 90);
	return n;
}
int Table::sum() const
{
	int n = 0;
	for (auto &row : rows)
		n += each(row.second);
	return n;
}
}
CC
	cat > "$tmp/src/app/main.cc" <<'CC'
#include "../lib/util.h"
#include <cstdio>
int main(int argc, char **argv)
{
	util::Table t;
	std::vector<std::string> names(argv, argv + argc);
	std::sort(names.begin(), names.end(), [](auto &a, auto &b) { return a.size() < b.size(); });
	for (auto &n : names)
		t.add(n, argc);
	printf("%d\n", t.sum());
	return 0;
}
CC
	cd "$tmp/out" || exit 2
	for cxx in g++ clang++-19; do
		command -v $cxx >/dev/null || continue
		linker=
		[ $cxx = g++ ] || linker=-fuse-ld=lld
		for flags in "-O0 -gdwarf-4" "-O2 -gdwarf-5" "-Os -gdwarf-5 -ffunction-sections" \
			"-O2 -gdwarf-5 -gsplit-dwarf" "-O2 -g -flto"; do
			out="$cxx$(echo "$flags" | tr -d ' ')"
			# shellcheck disable=SC2086 # flags are words
			$cxx $flags $linker ../src/app/main.cc ../src/lib/util.cc -o "$out" || exit 1
		done
	done
	find "$tmp/out" -type f ! -name "*.dwo" ! -name "*.o" | sort
}

least=$#
if [ $# -eq 0 ]; then
	least=5
	has clang++-19 clang-19 "programs of clang" && need ld.lld-19 lld-19 && least=10
	files=$(build) || { echo "$files" && exit 1; }
	# shellcheck disable=SC2086 # a list
	set -- $files
fi
for file in "$@"; do
	if PYTHONDONTWRITEBYTECODE=1 python3 "$here/sources.py" "$heft" "$symbolizer" "$file"; then
		pass
	else
		fail "$file"
	fi
done
finish $least
