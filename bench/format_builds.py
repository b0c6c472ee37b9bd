"""Programs of other formats than ELF for bench/coverage, of the same sources (builds.py)."""
import os
import subprocess

CLANG = os.environ.get("CLANG", "clang-19")
VERSION = CLANG.removeprefix("clang")
MINGW = "x86_64-w64-mingw32"


def clang(*flags):
    return [[tool, *flags] for tool in (CLANG, CLANG.replace("clang", "clang++"))]


def ld64(arch, system, *flags):
    return ["ld64.lld" + VERSION, "-arch", arch, "-platform_version", "macos", system, system,
            "-undefined", "dynamic_lookup", *flags, "-o", "{out}"]


# What the library of a system would have, for links without one.
STUB = {"msvc": """
int _fltused, _tls_index, _Init_thread_epoch;
char __tls_guard;
void _Init_thread_header(int *p) { *p = 1; }
void _Init_thread_footer(int *p) { *p = 0; }
void __dyn_tls_on_demand_init(void) {}
int atexit(void *f) { return !f; }
void _CxxThrowException(void *a, void *b) {}
void *type_info_table[2] __asm__("??_7type_info@@6B@");
static char heap[10000];
void *op_new(unsigned long long n) __asm__("??2@YAPEAX_K@Z");
void *op_new(unsigned long long n) { return heap + n; }
void op_del(void *p, unsigned long long n) __asm__("??3@YAXPEAX_K@Z");
void op_del(void *p, unsigned long long n) {}
void *memcpy(void *to, const void *from, unsigned long long n)
{ char *a = to; const char *b = from; while (n--) *a++ = *b++; return to; }
void *memset(void *to, int c, unsigned long long n)
{ char *a = to; while (n--) *a++ = (char)c; return to; }
""", "wasi": """
void __cxa_throw(void *a, void *b, void *c) {}
void *__cxa_allocate_exception(unsigned long n) { return 0; }
"""}
MAC, ARM_MAC = clang("--target=x86_64-apple-macos11"), clang("--target=arm64-apple-macos11")
MSVC = clang("--target=x86_64-pc-windows-msvc", "-gcodeview", "-fignore-exceptions",
             "-fno-builtin", "-D__thread=", "-D_Thread_local=", "-Dthread_local=")
WASI = clang("--target=wasm32-wasi", "-Dcommon=weak", "-fignore-exceptions")
GNU = ([f"{MINGW}-gcc"], [f"{MINGW}-g++"])
GNU_CLANG = clang(f"--target={MINGW}")
OLD, NEW = "11.0", "13.0"
LLD_LINK = ["lld-link" + VERSION, "/debug", "/nodefaultlib", "/entry:main", "/subsystem:console",
            "/force:multiple", "/out:{out}", "/pdb:{out}.pdb"]
WASM_LD = [*WASI[1], f"-fuse-ld=/usr/bin/wasm-ld{VERSION}", "-g", "-o", "{out}"]
# By name: tools, flags to compile with, command that links; whether C++ has its standard library,
# what stands in for that of the system, whether the debug info is made a bundle of its own.
FORMAT_BUILDS = {
    "Mach-O -g -O0": {"tools": MAC, "flags": "-g -O0", "link": ld64("x86_64", OLD), "dsym": True},
    "Mach-O -g -O2": {"tools": MAC, "flags": "-g -O2", "link": ld64("x86_64", OLD), "dsym": True},
    "Mach-O arm64 -g -O2": {"tools": ARM_MAC, "flags": "-g -O2",
                            "link": ld64("arm64", NEW, "-fixup_chains"), "dsym": True},
    "PE gcc -g -O2": {"tools": GNU, "flags": "-g -O2", "link": [f"{MINGW}-g++", "-o", "{out}"],
                      "standard": True, "name": "linked.exe"},
    "PE clang -g -O2": {"tools": GNU_CLANG, "flags": "-g -O2",
                        "link": [f"{MINGW}-g++", "-fuse-ld=lld", "-o", "{out}"], "standard": True,
                        "name": "linked.exe"},
    "PE and PDB -O0": {"tools": MSVC, "flags": "-g -O0", "link": LLD_LINK, "stub": "msvc"},
    "PE and PDB -O2": {"tools": MSVC, "flags": "-g -O2", "link": LLD_LINK, "stub": "msvc"},
    "wasm -g -O0": {"tools": WASI, "flags": "-g -O0", "link": WASM_LD, "stub": "wasi",
                    "standard": True},
    "wasm -g -O2": {"tools": WASI, "flags": "-g -O2", "link": WASM_LD, "stub": "wasi",
                    "standard": True},
}
RUST_TARGETS = {"PE rustc -g -O": "x86_64-pc-windows-gnu", "wasm rustc -g -O": "wasm32-wasi"}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False, timeout=600)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command[:8])}: {done.stderr.strip()[:300]}")


def link_format(objects, out, build):
    """(what, file, arguments of heft) as the steps of builds.py."""
    files = [str(o) for o in sorted(objects.glob("*.o"))]
    if stub := build.get("stub"):
        source = out.parent / "stub.c"
        source.write_text(STUB[stub])
        run([*build["tools"][0], *build["flags"].split(), "-w", "-c", "stub.c", "-o", "stub.o"], out.parent)
        files.append("stub.o")
    run([word.replace("{out}", str(out)) for word in build["link"]]
        + [f"-B{out.parent.parent}"] * (build["link"][0].startswith(MINGW)) + files, out.parent)
    if not build.get("dsym"):
        return [("", out, [])]
    bundle = out.with_suffix(".dSYM")
    run(["dsymutil" + VERSION, str(out), "-o", str(bundle)], out.parent)
    return [("", out, ["--dsym=" + str(bundle)])]
