#!/bin/sh
# Where addresses come from: heft where against llvm-symbolizer on random addresses of code.
# Function, file, line, column and every inlined frame must be equal, names as the linker sees them.
# Usage: where.sh HEFT [FILE...]; without files, builds of fixtures by every compiler found.
# SEED: of the random addresses.  COUNT: addresses a file (2000; with FULL=1 20000, and more builds; with QUICK=1 few builds).
#
# What may differ, and why (where.py counts each kind):
# - alias: several symbols at one address; heft shows the one its symbols source would (a global one before
#   a weak one, then the first of the table), llvm-symbolizer the last of its list.
# - symbol of another section: llvm-symbolizer stretches a symbol without a size (_init) over all that follows,
#   other sections too (.plt); heft to the end of its section.
# - symbol inside another: llvm-symbolizer names the last symbol that starts before the address, heft the
#   one that starts first of those around it (labels inside functions written in assembler).
# - file of a unit without lines there: where neither line nor function is known, llvm-symbolizer names the
#   source file that the symbol table has for a local symbol; so does heft, but for a unit that has the address.
# - file of another symbol: likewise, where each shows another of several symbols at one address.
# - paths: llvm-symbolizer prints directory and name as they are, heft the path by the rule of
#   debug/path.h; where.py applies the rule before it compares.
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd) || exit 2
symbolizer=${SYMBOLIZER:-llvm-symbolizer-19}
clang=${CLANG:-clang-19}
clangxx=${CLANGXX:-clang++-19}
full=${FULL:-0}
count=${COUNT:-$([ "$full" = 1 ] && echo 20000 || echo 2000)}
seed=${SEED:-1}
PATH=$PATH:$HOME/.cargo/bin

# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3 readelf binutils "$symbolizer" llvm-19 gcc gcc g++ g++
scratch

# Both answer all addresses.
asked() { # file, file for heft
	python3 "$here/where.py" pick "$1" "$count" "$seed" >"$tmp/addrs" &&
		"$symbolizer" --no-demangle -e "$1" <"$tmp/addrs" >"$tmp/want" 2>/dev/null &&
		"$heft" where --terse -C none "$2" - <"$tmp/addrs" >"$tmp/got" 2>"$tmp/notes"
}

compare() { # file, label, file for heft if that is another
	mine=${3:-$1}
	asked "$1" "$mine" || {
		fail "$2: no answers"
		return
	}
	# One by one, as operands, gives the same as all at once.
	head -3 "$tmp/addrs" | xargs "$heft" where --terse -C none "$mine" >"$tmp/few" 2>/dev/null
	if python3 "$here/where.py" compare "$1" "$tmp/addrs" "$tmp/want" "$tmp/got" >"$tmp/said" &&
		[ ! -s "$tmp/notes" ] &&
		[ -s "$tmp/few" ] && head -n "$(wc -l <"$tmp/few")" "$tmp/got" | cmp -s - "$tmp/few"; then
		pass
		echo "$2: $(cat "$tmp/said")"
	else
		fail "$2 (seed $seed)"
		cat "$tmp/said" "$tmp/notes"
	fi
}

if [ $# -gt 0 ]; then
	for file; do
		compare "$file" "$file"
	done
	finish $#
fi

# ---- fixtures ---------------------------------------------------------------------------

mkdir -p "$tmp/src/inc"
cat >"$tmp/src/inc/shape.h" <<'C'
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
namespace geo {
struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
	std::string name;
};
template <typename T> struct sized : shape {
	T a, b;
	sized(T x, T y) : a(x), b(y) { name = std::to_string(x) + "x" + std::to_string(y); }
	double area() const override { return static_cast<double>(a) * static_cast<double>(b); }
};
template <typename It> auto total(It from, It to)
{
	return std::accumulate(from, to, 0.0, [](double sum, const auto &s) {
		struct local {
			static double weigh(double v) { return v > 100 ? v / 2 : v; }
		};
		return sum + local::weigh(s->area());
	});
}
inline int clamp(int v) { return std::min(std::max(v, 3), 77); }
}
std::map<std::string, std::vector<int>> index_of(const std::vector<std::unique_ptr<geo::shape>> &all);
extern "C" int plain(int n, const char *const *words);
C
cat >"$tmp/src/main.cc" <<'C'
#include "inc/../inc/shape.h"
#include <cstdio>
namespace {
struct counter {
	int hits = 0;
	template <typename F> void each(int n, F f)
	{
		for (int i = 0; i < n; i++)
			hits += f(geo::clamp(i));
	}
};
}
int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<geo::shape>> all;
	counter c;
	c.each(argc * 10, [&](int i) {
		all.push_back(std::make_unique<geo::sized<int>>(i, i + argc));
		if (i % 3 == 0)
			all.push_back(std::make_unique<geo::sized<double>>(i * 0.5, 2.0));
		return i & 1;
	});
	std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
	auto index = index_of(all);
	for (auto &[name, where] : index)
		std::printf("%s %zu\n", name.c_str(), where.size());
	try {
		if (geo::total(all.begin(), all.end()) < 0)
			throw std::string("negative");
	} catch (const std::string &s) {
		return static_cast<int>(s.size());
	}
	return c.hits + plain(argc, argv);
}
C
cat >"$tmp/src/index.cc" <<'C'
#include "inc/shape.h"
static std::string key(const geo::shape &s)
{
	std::string out;
	for (char ch : s.name)
		out += static_cast<char>(geo::clamp(ch));
	return out;
}
std::map<std::string, std::vector<int>> index_of(const std::vector<std::unique_ptr<geo::shape>> &all)
{
	std::map<std::string, std::vector<int>> out;
	int number = 0;
	for (const auto &s : all)
		out[key(*s)].push_back(number++);
	for (auto &[name, list] : out)
		std::stable_sort(list.begin(), list.end(), [](int a, int b) { return a % 7 < b % 7; });
	return out;
}
C
cat >"$tmp/src/plain.c" <<'C'
#include <stdlib.h>
#include <string.h>
struct word { const char *text; size_t len; };
static inline __attribute__((always_inline)) size_t length(const char *s) { return strlen(s) + 1; }
static int compare(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	return x->len < y->len ? -1 : x->len > y->len;
}
static __attribute__((noinline)) int sum(const struct word *w, int n)
{
	int total = 0;
	for (int i = 0; i < n; i++)
		total += (int)length(w[i].text) * (i + 1);
	return total;
}
int plain(int n, const char *const *words)
{
	struct word *list = calloc((size_t)n + 1, sizeof *list);
	if (!list)
		abort();
	for (int i = 0; i < n; i++)
		list[i] = (struct word){ words[i], length(words[i]) };
	qsort(list, (size_t)n, sizeof *list, compare);
#line 4000 "made_up.y"
	const int result = sum(list, n);
	free(list);
	return result;
}
C
cat >"$tmp/src/main.rs" <<'C'
use std::collections::{BTreeMap, HashMap};
mod shapes {
    pub trait Area { fn area(&self) -> f64; }
    pub struct Square(pub f64);
    pub struct Disc { pub r: f64 }
    impl Area for Square { fn area(&self) -> f64 { self.0 * self.0 } }
    impl Area for Disc { #[inline(never)] fn area(&self) -> f64 { self.r * self.r * 3.14 } }
    #[inline] pub fn total<'a, I: Iterator<Item = &'a Box<dyn Area>>>(it: I) -> f64 { it.map(|s| s.area()).sum() }
}
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for w in text.split_whitespace() { *seen.entry(w.to_lowercase()).or_insert(0) += 1; }
    seen.into_iter().filter(|(w, _)| w.len() > 1).collect()
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut all: Vec<Box<dyn shapes::Area>> = Vec::new();
    for (i, a) in args.iter().enumerate() {
        if i % 2 == 0 { all.push(Box::new(shapes::Square(a.len() as f64))) }
        else { all.push(Box::new(shapes::Disc { r: i as f64 })) }
    }
    all.sort_by(|a, b| a.area().partial_cmp(&b.area()).unwrap());
    println!("{} {:?}", shapes::total(all.iter()), words(&args.join(" ")));
}
C

build() { # output, C compiler, C++ compiler, flags...
	out=$1 cc=$2 cxx=$3
	shift 3
	mkdir -p "$tmp/build"
	(cd "$tmp/build" && rm -f ./*.o ./*.dwo ./*.dwp &&
		$cc "$@" -c ../src/plain.c -o plain.o &&
		$cxx -std=c++17 "$@" -c ../src/main.cc -o main.o &&
		$cxx -std=c++17 "$@" -c ../src/index.cc -o index.o &&
		$cxx "$@" -o "$out" main.o index.o plain.o) >"$tmp/log" 2>&1
}

try_build() { # label, C compiler, C++ compiler, flags...
	label=$1
	shift
	if build prog "$@"; then
		compare "$tmp/build/prog" "$label"
	else
		left_out "addresses of $label" "it does not build: $(head -n 1 "$tmp/log")"
	fi
}

has "$clang" clang-19 "addresses of programs of clang" || clang=
both() { # flags...
	try_build "gcc $*" gcc g++ "$@"
	[ -z "$clang" ] || try_build "clang $*" "$clang" "$clangxx" "$@"
}

if [ "$full" = 0 ] && [ -n "${QUICK:-}" ]; then
	both -g -gdwarf-5 -O2
	try_build "gcc -O0, DWARF 4" gcc g++ -g -gdwarf-4 -O0
	try_build "gcc -flto" gcc g++ -g -O2 -flto
	try_build "gcc, split, DWARF 4" gcc g++ -g -O2 -gsplit-dwarf -gdwarf-4
	[ -z "$clang" ] ||
		try_build "clang, split, sections" "$clang" "$clangxx" -g -O1 -gsplit-dwarf \
			-ffunction-sections -Wl,--gc-sections
else
	for version in 4 5; do
		both -g -gdwarf-$version -O0
		both -g -gdwarf-$version -O2
		both -g -gdwarf-$version -O2 -gsplit-dwarf
	done
	both -g -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
	both -g -O2 -flto
	both -g1 -O2
	both -g -O1 -fdebug-types-section
fi
if [ "$full" = 1 ]; then
	both -g -gdwarf-3 -O2
	both -g -gdwarf-2 -O2
	both -g -Os -gz=zlib
	both -g -O3 -gdwarf64 -gdwarf-5
	both -g -O2 -no-pie
fi

# ---- parts that are made by other tools -----------------------------------------------------

package() { # label, packer, C compiler, C++ compiler, flags...
	label=$1 packer=$2
	shift 2
	build prog "$@" || { cat "$tmp/log" && exit 1; }
	(cd "$tmp/build" && must "$packer" -e prog -o prog.dwp && rm -f ./*.dwo) || exit 1
	compare "$tmp/build/prog" "$label"
}
for version in 4 5; do
	[ -z "$clang" ] || ! has llvm-dwp-19 llvm-19 "addresses of clang's packages" ||
		package "clang, packed, DWARF $version" llvm-dwp-19 "$clang" "$clangxx" -g -O2 -gsplit-dwarf \
		-gdwarf-$version
done
! has dwp binutils "addresses of gcc's packages" ||
	package "gcc, packed, DWARF 4" dwp gcc g++ -g -O2 -gsplit-dwarf -gdwarf-4

# llvm-symbolizer does not read the file that dwz -m puts common parts into: what it says of the
# original counts.
if has dwz dwz "addresses of what dwz packed"; then
	build prog gcc g++ -g -O2 || { cat "$tmp/log" && exit 1; }
	(cd "$tmp/build" && cp prog one && cp prog two && must dwz -m common one two && must dwz prog) || exit 1
	compare "$tmp/build/prog" "gcc, dwz'd"
	build prog gcc g++ -g -O2 || exit 1
	compare "$tmp/build/prog" "gcc, dwz'd with a common file" "$tmp/build/one"
fi

if has rustc rustc "addresses of Rust programs"; then
	for opt in 0 3; do
		(cd "$tmp/src" && must rustc -g -C opt-level=$opt -o "$tmp/rust" main.rs) || exit 1
		compare "$tmp/rust" "rustc -g -C opt-level=$opt"
	done
fi

# An object: numbers count from its code, which is one section here.
(cd "$tmp/build" && must gcc -g -O2 -c ../src/plain.c -o plain.o) || exit 1
compare "$tmp/build/plain.o" "object"

# ---- variables --------------------------------------------------------------------------------

# Where they are declared, as far as llvm-symbolizer knows: it does not read split units, nor a definition apart from its declaration.
cat >"$tmp/src/variables.cc" <<'C'
#include <string>
struct shared { static int member; static inline int inlined = 4; static std::string text; };
int shared::member = 3;
std::string shared::text = "text";
template <class T> struct made { static int of; };
template <class T> int made<T>::of = 7;
static int local[40] = { 1, 2, 3 };
extern int number;
int number = 9, other;
__attribute__((section(".ram"))) int beside_code = 5;
int main(int argc, char **)
{
	static std::string s = "x";
	static int calls;
	return shared::member + shared::inlined + made<int>::of + local[argc] + (int)s.size() + (int)shared::text.size() + number + other + beside_code + ++calls;
}
C
variables() { # label, compiler, flags...
	label=$1
	shift
	(cd "$tmp/build" && must "$@" -o variables ../src/variables.cc) || exit 1
	must objcopy --set-section-flags .ram=alloc,load,contents,code "$tmp/build/variables"
	known=0 wrong=0
	for addr in $(nm "$tmp/build/variables" | awk '$2 ~ /^[BbDdRrVvu]$/ { print $1 }'); do
		want=$("$symbolizer" --obj="$tmp/build/variables" "DATA 0x$addr" | sed -n 3p)
		case $want in *:0 | "" | *\?*) continue ;; esac
		got=$("$heft" where "$tmp/build/variables" "$addr" 2>/dev/null | sed -n 's/^  decl    //p' | cut -d : -f 1,2)
		known=$((known + 1))
		[ "$(realpath -m "$want")" = "$got" ] || { wrong=$((wrong + 1)) && echo "$addr: $want, heft: $got"; }
	done
	got=$("$heft" where "$tmp/build/variables" beside_code 2>/dev/null | sed -n 's/^  decl    .*variables.cc:\([0-9]*\).*/\1/p')
	[ "$got" = 10 ] || { wrong=$((wrong + 1)) && echo "a variable beside code: line '$got', not 10"; }
	if [ $wrong -eq 0 ] && [ $known -ge 5 ]; then
		pass
		echo "variables, $label: $known"
	else
		fail "variables, $label: $wrong of $known"
	fi
}
variables "g++, DWARF 4" g++ -g -gdwarf-4
variables "g++, DWARF 5" g++ -g -gdwarf-5
[ -z "$clang" ] || variables "clang++" "$clangxx" -g
finish 5
