#!/bin/sh
# Operators new and delete with the recorder: over the C++ library's, over allocators that define operators of their own,
# and in C++ modules of C programs; and what else allocators offer beside malloc.
# usage: tests/recorder/operators.sh HEFT RECORDER OPERATORS.CC FAMILIES.C
heft=$(realpath "$1") recorder=$(realpath "$2") source=$(realpath "$3") families=$(realpath "$4")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2
has c++ g++ "operators new and delete" || finish 0
has python3 python3 "operators new and delete" || finish 0

# recorded NAME PROGRAM...: the same words and status, and the blocks of 40,000 bytes and more that the program counted.
recorded() {
	name=$1
	shift
	rm -f out.*
	plain=$("$@" 2>&1)
	status=$?
	said=$("$heft" heap run -q --leaks --recorder "$recorder" -o out.%p "$@" 2>&1)
	is "$name: the same" "$status $plain" "$? $said"
	is "$name: blocks" "$(echo "$said" | grep -o '[0-9]* bytes in [0-9]*' | sed 's/bytes in //')" \
		"$("$heft" heap show --by size --size=40000..41999 -n 0 --format=json out.* 2>/dev/null | python3 -c '
import json, sys
total = json.load(sys.stdin)["total"]
print(total["live_bytes"], total["live_blocks"])')"
}

cat >own.cc <<'END'
#include <cstdlib>
#include <new>
static char pool[4096];
static int calls;
void *operator new(std::size_t) { calls++; return pool + 100 * calls; }
void *operator new[](std::size_t) { calls++; return pool + 100 * calls; }
void operator delete(void *p) noexcept { calls += (char *)p >= pool && (char *)p < pool + sizeof pool; }
void operator delete[](void *p) noexcept { calls += (char *)p >= pool && (char *)p < pool + sizeof pool; }
int *volatile kept;
extern "C" int use(void)
{
	kept = new int;
	delete kept;
	kept = new int[2];
	delete[] kept;
	kept = new int[2];
	return calls + 2 * ((char *)kept == pool + 500);
}
END
cat >plain.cc <<'END'
#include <new>
#include <string>
std::string *volatile kept;
extern "C" int use(void)
{
	const volatile std::size_t most = SIZE_MAX / 2 - 5000;
	kept = new std::string(40222, 'x');
	delete kept;
	try {
		kept = (std::string *)::operator new(most);
	} catch (const std::bad_alloc &) {
		return 7;
	}
	return 0;
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
int main(int argc, char **argv)
{
	int sum = 0;
	kept = malloc(40500);
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			int (*use)(void) = library ? (int (*)(void))dlsym(library, "use") : 0;
			if (!use)
				return puts(dlerror());
			sum = 10 * sum + use();
			dlclose(library);
		}
	printf("%d; 40500 bytes in 1 block\n", sum);
	return 0;
}
END
must c++ -w -shared -fPIC -fno-exceptions -fno-sized-deallocation -nostdlib own.cc -o own.so
must c++ -w -shared -fPIC -O1 plain.cc -o plain.so
must cc -w loads.c -o loads -ldl
recorded "modules of a C program" ./loads ./own.so ./plain.so

must c++ -std=c++17 -w -O1 "$source" -o ops -ldl
recorded "the C++ library's" ./ops ./plain.so
if has clang++ clang "LLVM's C++ library" && clang++ -std=c++17 -stdlib=libc++ -w -O1 "$source" -o ops-llvm -ldl 2>/dev/null; then
	recorded "LLVM's" ./ops-llvm
fi
for library in jemalloc.so.2:libjemalloc2 tcmalloc_minimal.so.4:libtcmalloc-minimal4 mimalloc.so.2:libmimalloc2.0; do
	path=$(find /usr/lib /usr/lib64 -maxdepth 2 -name "lib${library%:*}" 2>/dev/null | head -n 1)
	if [ -z "$path" ]; then
		left_out "operators of an allocator" "no lib${library%:*}" "${library#*:}"
		continue
	fi
	how=./plain.so
	[ "${library%%.*}" = mimalloc ] && how=calm
	must c++ -std=c++17 -w -O1 "$source" -o ops-other -Wl,--no-as-needed "$path" -ldl
	recorded "$library, linked" ./ops-other $how
	LD_PRELOAD=$path recorded "$library, preloaded" ./ops $how
	name=$(echo "${library%%[._]*}" | tr a-z A-Z)
	must cc -w -O1 -fno-builtin "-D$name" "$families" "$path" -o family
	recorded "$library's own names" ./family
	is "$library: told" "$(./family | sed 's/.*told: //')" "$("$heft" heap run --recorder "$recorder" -o told ./family 2>&1 |
		sed -n 's/.*not recorded: .*: .*\(mallocx\|tc_valloc\|mi_heap_malloc\).*/\1/p')"
done

# An allocator beside malloc, which is the C library's.
echo 'static char pool[99999]; static int used; void *mi_malloc(unsigned long n) { used += n; return pool + used - n; }' >beside.c
echo 'void *mi_malloc(unsigned long); int main(void) { return !mi_malloc(100) || !malloc(100); }' >asks.c
must cc -w -shared -fPIC beside.c -o libbeside.so
must cc -w -include stdlib.h asks.c ./libbeside.so -o asks
"$heft" heap run --recorder "$recorder" -o recorded.%p ./asks 2>said
is "one beside it" "0 1" "$? $(grep -c 'not recorded: the blocks that ./asks asked these functions for: mi_malloc$' said)"
is "in the recording" 1 "$("$heft" heap show recorded.* | grep -c '^lacks .*not recorded: mi_malloc$')"
finish 6
