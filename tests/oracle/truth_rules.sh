#!/bin/sh
# Owners that single rules give, on small programs in assembly for x86-64.
# Usage: truth_rules.sh HEFT
set -u
heft=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need_x86_64
scratch
cc=${CC:-cc}

# Who owns the symbol's address, plus an offset, in another file of the same layout.
owner() { # file, file with symbols, symbol, offset
	at=$(nm "$2" | awk -v s="$3" '$3 == s { print $1 }')
	"$heft" -d rawsymbols --raw-map "$1" 2>/dev/null | sed '1,/^VM MAP/d' |
		awk -v at="$(printf '%d' $((0x$at + $4)))" '
		function num(h,   n, i) { n = 0; for (i = 1; i <= length(h); i++)
			n = n * 16 + index("0123456789abcdef", substr(h, i, 1)) - 1; return n }
		split($1, r, "-") == 2 && num(r[1]) <= at && at < num(r[2]) { print $NF }'
}

build() { # name, flags...; the source on stdin
	out=$tmp/$1
	shift
	cat >"$out.s"
	must $cc -nostdlib -o "$out" "$out.s" "$@"
	must strip -s -o "$out.stripped" "$out"
}

build padding -shared <<'END'
	.data
	.type small, @object
small:	.long 1
	.size small, 4
	.balign 64
	.type big, @object
big:	.fill 64, 1, 2
	.size big, 64
END
is "zeros that align go to what precedes" small "$(owner "$tmp/padding" "$tmp/padding" small 40)"

# What aligns to a page is of nobody, though code refers to its middle.
build pages -shared <<'END'
	.text
	.globl f
	.type f, @function
f:	.cfi_startproc
	leaq before+2048(%rip), %rax
	ret
	.cfi_endproc
	.size f, .-f
	.bss
	.balign 4096
	.type before, @object
before:	.zero 16
	.size before, 16
	.balign 4096
	.type page, @object
page:	.zero 4096
	.size page, 4096
END
is "what aligns to a page has a row" "(alignment)" "$(owner "$tmp/pages" "$tmp/pages" before 2048)"

# So does what fills code up to an address that a mitigation wants, also where a function in front of
# it begins with nops.
build filled -shared <<'END'
	.text
	.globl f, g
	.type f, @function
f:	ret
	.size f, .-f
	.fill 8192, 1, 0xcc
	.fill 16, 1, 0x90
	.type g, @function
g:	ret
	.size g, .-g
END
is "what fills code has a row" "(alignment)" "$(owner "$tmp/filled" "$tmp/filled" f 4096)"

# A label there only marks the end of the code before it.
build marked -shared <<'END'
	.text
	.globl f, g, f_end
	.type f, @function
f:	ret
	.size f, .-f
f_end:	.fill 8192, 1, 0xcc
	.type g, @function
g:	ret
	.size g, .-g
END
is "a label at fill owns none" "(alignment)" "$(owner "$tmp/marked" "$tmp/marked" f_end 4096)"

# A name without a size owns the data behind it, as of .incbin and ld -b binary. At the start of a section with other
# names, or of .bss, it is a bound.
build names -no-pie -Wl,-e,f <<'END'
	.text
	.globl f
	.type f, @function
f:	leaq font(%rip), %rax
	leaq first(%rip), %rax
	leaq zeros(%rip), %rax
	ret
	.size f, .-f
	.section .rodata
	.globl first, font, font_end
first:	.fill 8, 1, 1
	.type sized, @object
sized:	.quad 1
	.size sized, 8
font:	.fill 4096, 1, 7
font_end:
	.bss
	.globl zeros
zeros:	.zero 64
END
is "a name owns its data" font "$(owner "$tmp/names" "$tmp/names" font 2048)"
is "a bound names no data" f "$(owner "$tmp/names" "$tmp/names" first 4)"
is "a bound of .bss names no data" f "$(owner "$tmp/names" "$tmp/names" zeros 32)"
at=$(nm "$tmp/names" | awk '$3 == "f" { sub("^0*", "", $1); print $1 }')
is "where names stripped code as sizes do" "sub_$at+0x1" \
	"$("$heft" where "$tmp/names.stripped" "$(printf '0x%x' $((0x$at + 1)))" 2>/dev/null | awk '$1 == "symbol" { print $2 }')"

# A table that code reaches through a GOT slot alone.
build got -shared -Wl,--no-relax <<'END'
	.text
	.globl f
	.type f, @function
f:	.cfi_startproc
	movq table@GOTPCREL(%rip), %rax
	jmp *(%rax,%rdi,8)
	.cfi_endproc
	.size f, .-f
	.section .data.rel.ro, "aw"
table:	.quad f, f, f, f
END
is "what a GOT slot points to goes to the code that uses the slot" f \
	"$(owner "$tmp/got.stripped" "$tmp/got" table 8)"

# Code refers to a table of virtual functions behind its first two words.  They are the table's, and the type information
# and its name with them; what follows the last function has no owner, if nobody refers to it.
build virtual -shared <<'END'
	.text
	.globl before
	.type before, @function
before:	.cfi_startproc
	leaq numbers(%rip), %rax
	ret
	.cfi_endproc
	.size before, .-before
	.globl maker
	.type maker, @function
maker:	.cfi_startproc
	leaq table+16(%rip), %rax
	ret
	.cfi_endproc
	.size maker, .-maker
	.section .data.rel.ro, "aw"
numbers: .quad 1, 2, 3
table:	.quad 0, type, maker, before
behind:	.quad 7, numbers, 9
type:	.quad numbers, name
	.section .rodata, "a"
	.byte 1, 2, 3, 4
name:	.asciz "4Base"
END
for what in table:0 table:8 table:16 table:24 type:8 name:2; do
	is "${what%:*} of virtual functions" maker "$(owner "$tmp/virtual.stripped" "$tmp/virtual" "${what%:*}" "${what#*:}")"
done
is "what precedes such a table" before "$(owner "$tmp/virtual.stripped" "$tmp/virtual" numbers 16)"
is "what follows such a table" ".data.rel.ro]" "$(owner "$tmp/virtual.stripped" "$tmp/virtual" behind 8)"

# The word "exp" is 0x707865; nothing may begin at that address of .bss.
build words -no-pie -Wl,-e,start -Wl,-Tbss=0x700000 <<'END'
	.text
	.globl start
	.type start, @function
start:	.cfi_startproc
	movl $buffer, %eax
	movl $names, %eax
	ret
	.cfi_endproc
	.size start, .-start
	.globl other
	.type other, @function
other:	.cfi_startproc
	cmpl $0x707865, %eax
	ret
	.cfi_endproc
	.size other, .-other
	.section .rodata
	.balign 8
names:	.ascii "a word: exp\0\0\0\0\0"
	.quad 0x707865
	.bss
buffer:	.skip 0x20000
END
first=$(owner "$tmp/words.stripped" "$tmp/words" buffer 0)
is "text is no address" "$first" "$(owner "$tmp/words.stripped" "$tmp/words" buffer $((0x7870)))"
case $first in
sub_*) ;;
*) fail ".bss belongs to '$first'" ;;
esac

# Where addresses are small, an aligned one between two that can only be numbers is a number; text may begin there.
build numbers -no-pie -Wl,-e,start -Wl,-Ttext-segment=0x10000 <<'END'
	.text
	.globl start
	.type start, @function
start:	.cfi_startproc
	movl $numbers, %eax
	ret
	.cfi_endproc
	.size start, .-start
	.globl other
	.type other, @function
other:	.cfi_startproc
	movl $table, %eax
	ret
	.cfi_endproc
	.size other, .-other
	.section .rodata
	.balign 8
table:	.quad 1, 2
thing:	.byte 1, 2, 3, 4, 5, 6, 7, 8
word:	.asciz "a text"
	.balign 8
numbers: .quad thing + 3, thing, thing + 5, word, thing + 6
END
is "a number among numbers is no address" "$(owner "$tmp/numbers.stripped" "$tmp/numbers" table 0)" \
	"$(owner "$tmp/numbers.stripped" "$tmp/numbers" thing 0)"
is "text among numbers is referred to" "$(owner "$tmp/numbers.stripped" "$tmp/numbers" numbers 0)" \
	"$(owner "$tmp/numbers.stripped" "$tmp/numbers" word 0)"

# The header of a section that one function has whole.
printf '\t.section .text.lone, "ax", @progbits\n\t.globl lone\n\t.type lone, @function\nlone:\tret\n\t.size lone, .-lone\n' \
	>"$tmp/lone.s"
must $cc -c -o "$tmp/lone.o" "$tmp/lone.s"
size=$("$heft" -d sections,rawsymbols -n 0 --csv "$tmp/lone.o" |
	awk -F, '$1 == "[ELF Section Headers]" && $2 == "lone" { print $4 }')
is "the section header of a function" 64 "$size"

# Of a hash table only its header of 16 bytes is nobody's: of the Bloom filter each word belongs to the
# first symbol that sets bits in it.
{
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '\t.data\n\t.globl v%d\n\t.type v%d, @object\nv%d:\t.long %d\n\t.size v%d, 4\n' $i $i $i $i $i
	done
} >"$tmp/hash.s"
must $cc -nostdlib -shared -Wl,--hash-style=gnu -o "$tmp/hash" "$tmp/hash.s"
size=$("$heft" -d sections,rawsymbols -n 0 --csv "$tmp/hash" |
	awk -F, '$1 == ".gnu.hash" && $2 ~ /^\[/ { n += $4 } END { print n }')
is "bytes of a hash table without an owner" 16 "$size"

# Operands of objects: an immediate behind the address moves where it is counted from.
cat >"$tmp/operands.s" <<'END'
	.text
	.globl first
	.type first, @function
first:	movl $7, .Lone(%rip)
	ret
	.size first, .-first
	.globl second
	.type second, @function
second:	leaq third(%rip), %rax
	movw $7, .Ltwo(%rip)
	ret
	.size second, .-second
	.globl third
	.type third, @function
third:	ret
	.size third, .-third
	.data
.Lone:	.long 1
.Ltwo:	.long 2
END
must $cc -c -o "$tmp/operands.o" "$tmp/operands.s"
of_section() { # file, section: owner and VM bytes of each row, without spaces
	"$heft" -d sections,rawsymbols -n 0 --csv "$1" 2>/dev/null |
		awk -F, -v s="$2" '$1 == s && $3 > 0 { print $2 ":" $3 }' | sort | tr '\n' ' '
}
is "operands with an immediate behind them" "first:4 second:4 " "$(of_section "$tmp/operands.o" .data)"
is "references from code to code" "first:11 second:17 third:1 " "$(of_section "$tmp/operands.o" .text)"

# What an assembler kept of its own labels, and what names files, are no symbols.
printf '\t.file "marks.c"\n\t.text\n\t.globl f\n\t.type f, @function\nf:\tleaq .LC0(%%rip), %%rax\n\tret\n\t.size f, .-f\n' \
	>"$tmp/marks.s"
printf '\t.section .rodata\n.LC0:\t.asciz "twelve chars"\n' >>"$tmp/marks.s"
must $cc -c -Wa,-L -o "$tmp/marks.o" "$tmp/marks.s"
names=$("$heft" -d rawsymbols -n 0 --csv "$tmp/marks.o" | awk -F, 'NR > 1 && $1 !~ /^\[/ { print $1 }' | tr '\n' ' ')
is "labels of the assembler and names of files" "f " "$names"
is "what such a label stands at" "f:13 " "$(of_section "$tmp/marks.o" .rodata)"

# clang's labels of texts have sizes: the text is a literal of its own all the same.
printf '\t.section .rodata.str1.1, "aMS", @progbits, 1\n\t.type .L.str, @object\n.L.str:\t.asciz "a private text"\n' \
	>>"$tmp/marks.s"
printf '\t.size .L.str, 15\n\t.type .L.str.1, @object\n.L.str.1:\t.asciz "another"\n\t.size .L.str.1, 8\n' >>"$tmp/marks.s"
mkdir "$tmp/marks"
must $cc -c -Wa,-L -o "$tmp/marks/marks.o" "$tmp/marks.s"
is "labels of texts in the table" 2 "$(nm -S "$tmp/marks/marks.o" | grep -c ' r \.L\.str')"
is "names of literals" '"a private text" "another" "twelve chars" ' \
	"$("$heft" query "$tmp/marks/marks.o" --csv "SELECT name FROM symbols WHERE section = '.rodata'" 2>/dev/null |
		sed '1d; s/^"//; s/"$//; s/""/"/g' | sort | tr '\n' ' ')"
if command -v python3 >/dev/null; then
	FULL=1 must python3 "$(dirname "$0")/../prop/snapshot_walk.py" "$heft" "$tmp/marks" >/dev/null
fi

# The header of a PLT is no function.
printf 'int puts(const char *); int main(void) { return puts("x"); }\n' >"$tmp/plt.c"
must $cc -fPIE -pie -Wl,-z,lazy -o "$tmp/plt" "$tmp/plt.c"
is "functions made up of a PLT" "" "$("$heft" -d rawsymbols -n 0 "$tmp/plt" 2>&1 | grep sub_)"

# Padding before an empty section is still padding.
cat >"$tmp/empty.s" <<'END'
	.data
	.globl one
	.type one, @object
one:	.byte 1
	.size one, 1
	.section .empty, "aw"
	.section .more, "aw"
	.balign 16
	.globl two
	.type two, @object
two:	.quad 2
	.size two, 8
END
must $cc -nostdlib -shared -o "$tmp/empty" "$tmp/empty.s"
is "bytes between sections, an empty one among them" "" \
	"$("$heft" -d rawsymbols --raw-map --domain=vm "$tmp/empty" | grep -A1 'one$' | grep LOAD)"

# A separate debug file has no bytes of the program's interpreter, though a segment has some at its place.
must $cc -g -fPIE -pie -o "$tmp/whole" "$tmp/plt.c"
must objcopy --only-keep-debug "$tmp/whole" "$tmp/whole.debug"
is "file bytes of sections without bytes" 0 "$("$heft" --csv -n 0 "$tmp/whole.debug" | awk -F, '$1 == ".interp" { print $3 }')"

# Parts of debug info given by name: a split unit is not refused for want of a build ID.
(cd "$tmp" && must $cc -g -gsplit-dwarf -c plt.c && must $cc -o split plt.o && mkdir away && mv plt*.dwo away)
"$heft" -d compileunits --debug-file="$tmp/away/plt.dwo" "$tmp/split" >"$tmp/out" 2>&1
is "a split unit given by --debug-file" 0 "$(grep -c 'missing\|build ID' "$tmp/out")"

# Blocks as symbols without sizes, where the function has the size of its first block: all is the function's.
cat >"$tmp/labels.s" <<'END'
	.text
	.globl _Z3fooi
	.type _Z3fooi, @function
_Z3fooi: testl %edi, %edi
	je aa.BB._Z3fooi
a.BB._Z3fooi: movl $1, %eax
	ret
aa.BB._Z3fooi: movl $2, %eax
	ret
	.size _Z3fooi, 4
	.globl next
	.type next, @function
next:	call _Z3fooi
	ret
	.size next, .-next
END
must $cc -nostdlib -shared -Wl,-Bsymbolic -o "$tmp/labels" "$tmp/labels.s"
at=$(nm "$tmp/labels" | awk '$3 == "_Z3fooi" { print "0x" $1 }')
is "code of blocks" "_Z3fooi:16 next:6 " "$(of_section "$tmp/labels" .text)"
is "sizes of blocks" "4 6 6 " "$("$heft" blocks --function='foo(int)' "$tmp/labels" | awk 'NR > 2 { print $3 }' | tr '\n' ' ')"
is "the name of a place in a block" "foo(int)+0x5" "$("$heft" where "$tmp/labels" "$(printf '%x' $((at + 5)))" | awk '$1 == "symbol" { print $2 }')"
if "$heft" blocks --derive --disassemble "$tmp/labels" >"$tmp/out" 2>&1; then
	check "calls go to names" grep -q '<foo(int)>$' "$tmp/out"
else
	left_out "calls go to names" "this heft has no disassembler"
fi

# Data of ARM and RISC-V without symbols are those of the functions that make their addresses: pools, movw and movt, lui, auipc.
cat >"$tmp/data.c" <<'END'
static const unsigned short tab[100] = { 1, 2, 3 };
static const double coef[20] = { 1.5 };
static int buf[64];
int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += tab[i & 63]; return s; }
double fir(int n) { double s = 0; for (int i = 0; i < n; i++) s += coef[i & 15]; return s; }
int put(int i, int v) { buf[i & 63] = v; return buf[(i + 1) & 63]; }
void _start(void) { sum(3); fir(2); put(1, 2); for (;;) ; }
END
owners_of_data() { # program, the same without names of data
	for y in coef tab buf; do
		at=$(llvm-nm-19 "$1" | awk -v y=$y '$3 == y { print $1 }')
		printf '%s:%s ' $y "$("$heft" where -d symbols "$2" "0x$at" 2>/dev/null | awk '$1 == "owner" { print $2 }')"
	done
}
if has clang-19 clang-19 "data of ARM and RISC-V" && has ld.lld-19 lld-19 "data of ARM and RISC-V"; then
	for target in armv7a-none-eabi armv5te-none-eabi thumbv7m-none-eabi thumbv6m-none-eabi riscv32 riscv64; do
		must clang-19 --target=$target -O2 -fno-inline -ffreestanding -c -o "$tmp/data.o" "$tmp/data.c"
		must ld.lld-19 --unresolved-symbols=ignore-all -o "$tmp/data" "$tmp/data.o"
		must llvm-objcopy-19 -N tab -N coef -N buf "$tmp/data" "$tmp/data.bare"
		is "data of $target" "coef:fir tab:sum buf:put " "$(owners_of_data "$tmp/data" "$tmp/data.bare")"
	done
fi

# Maps of the first layout have no bit for falling through; what they do state is held against the code.
# Addresses without mappings, of a program that may be loaded anywhere.
printf ' 555555555190\n' >"$tmp/ips"
check "a hint at what tells where a program was" sh -c \
	"'$heft' blocks profile '$tmp/plt' --script '$tmp/ips' 2>&1 | grep -q show-mmap-events"

first_layout() { # name, flags of the second block
	cat >"$tmp/$1.s" <<END
	.text
	.globl f
	.type f, @function
f:	testl %edi, %edi
	je .Ltwo
.Lone:	movl \$1, %eax
	ret
.Ltwo:	movl \$2, %eax
	ret
.Lend:	.size f, .-f
	.section .bb_info, "", @progbits
	.quad f
	.uleb128 3, .Lone-f, 0
	.uleb128 .Lone-f, .Ltwo-.Lone, $2
	.uleb128 .Ltwo-f, .Lend-.Ltwo, 1
END
	must $cc -nostdlib -shared -o "$tmp/$1" "$tmp/$1.s"
	"$heft" blocks check "$tmp/$1" 2>&1 | grep -c '^BB'
}
is "a map of the first layout" 0 "$(first_layout first 1)"
is "a wrong map of the first layout" 1 "$(first_layout wrong 0)"

# Snapshots of Dart have a symbol for all of their code around those of functions.
build snapshot -shared <<'END'
	.text
	.globl all
	.type all, @object
all:	.fill 16, 1, 0x90
	.type f, @function
f:	.fill 32, 1, 0x90
	.size f, 32
	.size all, .-all
END
is "a function in data that are a whole section of code" f "$(owner "$tmp/snapshot" "$tmp/snapshot" f 4)"
is "what is before it" all "$(owner "$tmp/snapshot" "$tmp/snapshot" all 4)"

# A table of symbols that are the dynamic ones leaves functions without a name.
build repeated -shared <<'END'
	.text
	.globl f
	.type f, @function
f:	call g
	ret
	.size f, .-f
	.balign 64
	.type g, @function
g:	.fill 64, 1, 0x90
	ret
	.size g, .-g
END
must strip -x -o "$tmp/repeated.few" "$tmp/repeated"
is "a function that the table of symbols does not have" \
	"sub_$(nm "$tmp/repeated" | sed -n 's/^0*\([0-9a-f]*\) t g$/\1/p')" \
	"$(owner "$tmp/repeated.few" "$tmp/repeated" g 4)"
is "what such a program is said to have" dynamic "$("$heft" info --json "$tmp/repeated.few" |
	sed -n 's/.*"symbols": *"\([a-z]*\)".*/\1/p')"

# Packages of C are the directories below the one that all units with a directory share.
mkdir -p "$tmp/tree/app" "$tmp/tree/net"
cat >"$tmp/tree/app/main.c" <<'END'
#include <stdio.h>
int table[500] = { 1 };
int get(int);
int main(int argc, char **argv) { (void)argv; return printf("%d", table[argc] + get(argc)); }
END
echo 'int rows[300] = { 2 }; int get(int i) { return rows[i]; }' >"$tmp/tree/net/get.c"
must $cc -g -o "$tmp/tree/prog" "$tmp/tree/app/main.c" "$tmp/tree/net/get.c"
package_of() { # symbol
	at=$(nm "$tmp/tree/prog" | awk -v s="$1" '$3 == s { print $1 }')
	"$heft" where -d packages "$tmp/tree/prog" "$at" 2>/dev/null |
		sed -n 's/^  owner   \(.*\) (packages:.*/\1/p'
}
is "a package that is a directory" app "$(package_of table)"
is "another one beside it" net "$(package_of get)"
check "a shared library whose symbols are used is a package" sh -c \
	"'$heft' -d packages -n 0 --csv '$tmp/tree/prog' 2>/dev/null | grep -q '^libc.so.6,'"

# Without debug info a unit is known of local functions alone.  What others refer to is not of the unit before it.
build units -shared <<'END'
	.file "known.c"
	.text
	.type known, @function
known:	.cfi_startproc
	leaq of_known(%rip), %rax
	ret
	.cfi_endproc
	.size known, .-known
	.globl nobodys
	.type nobodys, @function
nobodys: .cfi_startproc
	leaq of_nobody(%rip), %rax
	ret
	.cfi_endproc
	.size nobodys, .-nobodys
	.section .rodata
	.balign 64
of_known: .fill 16, 4, 0x11111111
of_nobody: .fill 64, 4, 0x22222222
END
must strip -N of_known -N of_nobody -o "$tmp/units.named" "$tmp/units"
unit_of() { # symbol, offset
	at=$(nm "$tmp/units" | awk -v s="$1" '$3 == s { print $1 }')
	"$heft" where -d compileunits "$tmp/units.named" "$(printf '0x%x' $((0x$at + $2)))" 2>/dev/null |
		sed -n 's/^  owner   \(.*\) (compileunits.*/\1/p'
}
is "a constant of a unit's function" known.c "$(unit_of of_known 8)"
is "one that code without a unit refers to" "[section .rodata]" "$(unit_of of_nobody 8)"

# The tables of a class belong to the unit of its key function, also if other units make objects of the class.
cat >"$tmp/a.h" <<'END'
namespace ns { struct Key { virtual ~Key(); virtual int f(int x) { return x + 1; } int a; }; }
struct First { virtual int one(); virtual int two(); };
template <class T> struct Box { virtual T get() { return T(); } virtual T more() { return T(); } };
template <> int Box<int>::more();
END
cat >"$tmp/a.cc" <<'END'
#include "a.h"
ns::Key::~Key() {}
int First::one() { return 1; }
template <> int Box<int>::more() { return 5; }
END
cat >"$tmp/b.cc" <<'END'
#include "a.h"
int First::two() { return 2; }
int main(int n, char **)
{
	ns::Key key;
	First first, *volatile f = &first;
	Box<int> box, *volatile b = &box;
	return key.f(n) + f->two() + b->get();
}
END
classes() { # name, compiler, flags...
	out=$tmp/classes-$1
	shift
	must "$@" -g -O1 -c "$tmp/a.cc" -o "$tmp/a.o"
	must "$@" -g -O1 -c "$tmp/b.cc" -o "$tmp/b.o"
	must "$@" "$tmp/b.o" "$tmp/a.o" -o "$out"
	for symbol in _ZTVN2ns3KeyE _ZTIN2ns3KeyE _ZTSN2ns3KeyE _ZTV5First; do
		"$heft" where -d compileunits --no-map "$out" $symbol >"$tmp/owner" 2>/dev/null
		is "$* $symbol" "$tmp/a.cc" "$(sed -n 's/^  owner *\([^ ]*\).*/\1/p' "$tmp/owner")"
	done
	"$heft" where -d compileunits --no-map "$out" _ZTV3BoxIiE >"$tmp/owner" 2>/dev/null
	is "$*: a template has no key function" "code reference" "$(sed -n 's/^  owner.*: \(.*\), .*/\1/p' "$tmp/owner")"
}
for compiler in g++ clang++-19; do
	command -v $compiler >/dev/null || { echo "skip classes: $compiler is missing" && continue; }
	classes $compiler $compiler
	classes $compiler-fixed $compiler -no-pie
done
# Functions that a linker folded belong to the objects that define their names.
if command -v ld.lld >/dev/null; then
	cat >"$tmp/fold1.c" <<'END'
static __attribute__((noinline)) int hidden1(int x) { for (int i = 0; i < 9; i++) x = x * 37 + i; return x; }
int kept(int x) { for (int i = 0; i < 9; i++) x = x * 31 + i; return x; }
int other(int);
int main(int n, char **v) { return kept(n) + other(n) + hidden1(n); }
END
	cat >"$tmp/fold2.c" <<'END'
static __attribute__((noinline)) int hidden2(int x) { for (int i = 0; i < 9; i++) x = x * 37 + i; return x; }
int folded(int x) { for (int i = 0; i < 9; i++) x = x * 31 + i; return x; }
int other(int x) { return folded(x) - hidden2(x) * 5; }
END
	for n in 1 2; do
		must gcc -O1 -fno-inline -ffunction-sections -c "$tmp/fold$n.c" -o "$tmp/fold$n.o"
	done
	must gcc -fuse-ld=lld -Wl,--icf=all,-Map="$tmp/fold.map" "$tmp/fold1.o" "$tmp/fold2.o" -o "$tmp/fold"
	is "functions have the same code" 2 "$(nm "$tmp/fold" | awk '$3 ~ /^(kept|folded)$/ { print $1 }' | uniq -c | awk '{ print $1 }')"
	is "objects of folded functions" "folded=fold2.o hidden1=fold1.o hidden2=fold2.o kept=fold1.o " \
		"$("$heft" query --map "$tmp/fold.map" "$tmp/fold" --format=csv "select name || '=' || object from symbols
			where name in ('kept', 'folded', 'hidden1', 'hidden2') order by name" 2>/dev/null |
			sed '1d; s/=.*\//=/' | tr '\n' ' ')"
else
	echo "skip folded functions: lld is missing"
fi
# Without debug info, the name of a file in the symbol table does not contradict the object of the map.
cat >"$tmp/first.c" <<'END'
extern int shared[50];
int tiny(int);
static __attribute__((noinline)) int local(int x) { return shared[x % 50] * 3; }
int (*volatile pointer)(int) = local;
int main(int n, char **v) { return pointer(n) + tiny(n); }
END
cat >"$tmp/second.c" <<'END'
int shared[50] = { 1, 2 }, unused[100];
int tiny(int x) { return x + 1; }
END
must gcc -O2 -c "$tmp/first.c" -o "$tmp/first.o"
must gcc -O2 -c "$tmp/second.c" -o "$tmp/second.o"
must gcc -Wl,-Map="$tmp/moved.map" "$tmp/first.o" "$tmp/second.o" -o "$tmp/moved"
is "sources of symbols, by name and by map" "local:first.c:first.o shared::second.o tiny::second.o unused::second.o " \
	"$("$heft" query --map "$tmp/moved.map" "$tmp/moved" --format=csv "select name || ':' || ifnull(source, '') || ':' || object
		from symbols where name in ('local', 'shared', 'tiny', 'unused') order by name" 2>/dev/null |
		sed '1d; s/:[^:]*\//:/' | tr '\n' ' ')"
finish 58
