#!/bin/sh
# Lines and inline stacks of the sources inlines, sourcefiles and inlinestacks against llvm-symbolizer.
# usage: sources.sh HEFT [FILE...]; without files, of programs built here.  77: a tool is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
for symbolizer in llvm-symbolizer-19 llvm-symbolizer ''; do
	command -v "$symbolizer" >/dev/null 2>&1 && break
done
[ -n "$symbolizer" ] || { echo "SKIP: no llvm-symbolizer"; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

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
	for cxx in g++ clang++-19 clang++; do
		command -v $cxx >/dev/null || continue
		for flags in "-O0 -gdwarf-4" "-O2 -gdwarf-5" "-Os -gdwarf-5 -ffunction-sections" \
			"-O2 -gdwarf-5 -gsplit-dwarf" "-O2 -g -flto"; do
			out="$cxx$(echo "$flags" | tr -d ' ')"
			# shellcheck disable=SC2086 # flags are words
			$cxx $flags ../src/app/main.cc ../src/lib/util.cc -o "$out" 2>/dev/null ||
				rm -f "$out"
		done
	done
	find "$tmp/out" -type f ! -name "*.dwo" ! -name "*.o" | sort
}

[ $# -gt 0 ] || { files=$(build) && set -- $files; }
[ $# -gt 0 ] || { echo "SKIP: no compiler"; exit 77; }
bad=0
for file in "$@"; do
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/sources.py" "$heft" "$symbolizer" "$file" || bad=1
done
exit $bad
