#!/usr/bin/env python3
"""Worst cases against runs: programs run under QEMU on a painted stack, and heft says at least what they used.

usage: stack_runs.py HEFT

Twenty programs, each for a Cortex-M3 and for RISC-V (rv32imac), at -O0, -Os and -O2: random trees of calls, all of which are
run, and a few by hand; for RISC-V also where a function of libgcc saves the registers.  What heft says of main is never less than what was used, and at most 10 % and 16 bytes more."""
import csv
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

ARM_START = """
__attribute__((naked, used)) void reset(void)
{
	__asm__("ldr r0, =0x20004000; ldr r1, =0xa5a5a5a5; mov r2, sp; 1: str r1, [r0]; adds r0, #4; cmp r0, r2; blo 1b;"
	        "bl main; ldr r0, =0x20004000; ldr r1, =0xa5a5a5a5; 2: ldr r3, [r0]; adds r0, #4; cmp r3, r1; beq 2b;"
	        "subs r0, #4; mov r1, sp; subs r0, r1, r0; bl report; .ltorg");
}
__attribute__((section(".vectors"), used)) void *const vectors[] = { (void *)0x20010000, (void *)reset };
static void host(int what, const void *with)
{
	register int r0 __asm__("r0") = what;
	register const void *r1 __asm__("r1") = with;
	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
static const void *const bye = (void *)0x20026;
"""
RISCV_START = """
__attribute__((naked, used, section(".vectors"))) void reset(void)
{
	__asm__(".option push; .option norelax; la gp, __global_pointer$; .option pop;"
	        "li sp, 0x80110000; li t0, 0x80104000; li t1, 0xa5a5a5a5; 1: sw t1, 0(t0); addi t0, t0, 4; bltu t0, sp, 1b;"
	        "jal main; li t0, 0x80104000; li t1, 0xa5a5a5a5; 2: lw t2, 0(t0); addi t0, t0, 4; beq t2, t1, 2b;"
	        "addi t0, t0, -4; sub a0, sp, t0; jal report");
}
static void host(int what, const void *with)
{
	register int a0 __asm__("a0") = what;
	register const void *a1 __asm__("a1") = with;
	__asm__ volatile(".option push; .option norvc; slli x0, x0, 0x1f; ebreak; srai x0, x0, 7; .option pop"
	                 : "+r"(a0) : "r"(a1) : "memory");
}
static const void *const bye = (void *)0x20026;
"""
REPORT = """
__attribute__((used, noreturn)) void report(unsigned used)
{
	char text[12];
	int at = 11;
	text[at] = 0;
	do
		text[--at] = (char)('0' + used % 10);
	while ((used /= 10) != 0);
	host(4, text + at);
	host(0x18, bye);
	for (;;)
		;
}
void *memset(void *p, int c, unsigned n) { for (char *q = p; n > 0; n--) *q++ = (char)c; return p; }
void *memcpy(void *p, const void *f, unsigned n) { char *q = p; const char *r = f; for (; n > 0; n--) *q++ = *r++; return p; }
"""
LEVELS = ["-O0", "-Os", "-O2"]
MACHINES = [
    ("Cortex-M3", "arm-none-eabi-gcc", ["-mcpu=cortex-m3", "-mthumb", "-Wl,--section-start=.vectors=0", "-Wl,-Ttext=0x100",
                                        "-Wl,--section-start=.far=0x20003000"],
     ["qemu-system-arm", "-M", "lm3s6965evb"], ARM_START),
    ("RISC-V", "riscv64-unknown-elf-gcc", ["-march=rv32imac", "-mabi=ilp32", "-Wl,-melf32lriscv",
                                           "-Wl,--section-start=.vectors=0x80000000", "-Wl,-Ttext=0x80000100",
                                           "-Wl,--section-start=.far=0x80120000"],
     ["qemu-system-riscv32", "-M", "virt", "-bios", "none"], RISCV_START),
]


def tree(seed):
    """Functions of random frames; each calls some of those before it, always."""
    rng = random.Random(seed)
    text, count = "", rng.randint(4, 9)
    for i in range(count):
        size = rng.choice([8, 24, 60, 200, 600, 1500])
        calls = "".join("\tsum += f%d(a[%d]);\n" % (rng.randrange(i), k) for k in range(rng.randint(1, 3)) if i > 0)
        text += """
static int __attribute__((noinline, noclone)) f%d(int n)
{
	volatile char a[%d];
	int sum = n;
	for (unsigned k = 0; k < sizeof a; k++)
		a[k] = (char)(n + k);
%s	return sum + a[n & 7];
}
""" % (i, size, calls)
    return text + "int main(void)\n{\n\treturn f%d(3);\n}\n" % (count - 1), None


BY_HAND = [
    ("volatile double d = 3; int main(void) { volatile char a[400]; for (int i = 0; i < 400; i++) a[i] = 1; "
     "return (int)(d / 7 + d * a[3]); }", None),
    ("volatile long long d = 3; int main(void) { volatile char a[400]; for (int i = 0; i < 400; i++) a[i] = 1; "
     "return (int)(d / 7 + d % 5 + a[9]); }", None),
    ("""static int __attribute__((noinline)) big(int n) { volatile char a[900]; for (int i = 0; i < 900; i++) a[i] = (char)n; return a[n]; }
static int __attribute__((noinline)) little(int n) { volatile char a[90]; for (int i = 0; i < 90; i++) a[i] = (char)n; return a[n]; }
static int (*volatile reached[])(int) = { 0, 0 };
int main(void) { reached[0] = big; reached[1] = little; return reached[0](3) + reached[1](4); }""", "main -> big little\n"),
    # Out of reach of a call: one by a register, one by what the linker puts in between.
    ("""static int __attribute__((noinline, long_call)) by_register(int n) { volatile char a[300]; for (int i = 0; i < 300; i++) a[i] = (char)n; return a[n]; }
int __attribute__((noinline, section(".far"))) far(int n) { volatile char a[700]; for (int i = 0; i < 700; i++) a[i] = (char)n; return a[n]; }
int main(void) { volatile int n = by_register(3); return n + far(4); }""", None),
]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def used_by_run(machine, level, source, folder):
    _, compiler, flags, emulator, start = machine
    path = os.path.join(folder, "x.c")
    with open(path, "w") as f:
        f.write(start + REPORT + source)
    program = os.path.join(folder, "x")
    made = run([compiler, *flags, *level.split(), "-w", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-ffreestanding", "-nostdlib",
                "-static", "-Wl,-e,reset", "-Wl,-Tbss=%s" % ("0x20000000" if "M3" in machine[0] else "0x80100000"), path, "-o", program,
                "-lgcc"])
    if made.returncode != 0:
        sys.exit("%s does not build: %s" % (machine[0], made.stderr))
    out = run([*emulator, "-nographic", "-monitor", "none", "-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel",
               program], timeout=60, stdin=subprocess.DEVNULL)
    said = (out.stdout + out.stderr).strip().split("\n")[-1]
    if not said.isdigit():
        sys.exit("%s %s did not tell what it used: %s" % (machine[0], level, said[:300]))
    return program, int(said)


def said_by_heft(heft, program, calls, folder):
    more = []
    if calls:
        path = os.path.join(folder, "calls")
        with open(path, "w") as f:
            f.write(calls)
        more = ["--calls", path]
    out = run([heft, "stack", "--csv", "--function", "main", *more, program])
    if out.returncode != 0:
        sys.exit("heft: " + out.stderr)
    row = next(csv.DictReader(io.StringIO(out.stdout)))
    return int(row["stack"]), row["besides"]


def judge(used, most, besides):
    if most < used:
        return "TOO LITTLE"
    if besides:
        return "TOLD"
    return "" if most <= used * 1.1 + 16 else "TOO MUCH"


def main():
    heft = os.path.abspath(sys.argv[1])
    programs = [tree(seed) for seed in range(20 - len(BY_HAND))] + BY_HAND
    ran = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for machine in MACHINES:
            if not shutil.which(machine[1]) or not shutil.which(machine[3][0]):
                print("LEFT OUT: %s: no %s or no %s" % (machine[0], machine[1], machine[3][0]))
                continue
            extra = []
            for number, (source, calls) in enumerate(programs):
                for level in LEVELS + (["-Os -msave-restore"] if machine[0] == "RISC-V" else []):
                    program, used = used_by_run(machine, level, source, folder)
                    most, besides = said_by_heft(heft, program, calls, folder)
                    ran += 1
                    extra.append(most / used - 1 if used else 0)
                    problem = judge(used, most, besides)
                    if problem:
                        bad += 1
                        print("%s, program %d %s: used %d, heft %d %s: %s" % (machine[0], number, level, used, most, besides, problem))
            print("%s: %d programs ran; heft says 0 to %.1f %% more" % (machine[0], len(extra), 100 * max(extra)))
    if ran == 0:
        print("SKIP: no emulator (install qemu-system-arm)")
        sys.exit(SKIPPED)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
