"""Programs and libraries that bench/coverage builds to be measured: by gcc, clang and rustc,
without debug info (build_all) and with it (build_debug), from tests/fixtures/many_objects.py."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from format_builds import FORMAT_BUILDS, RUST_TARGETS, link_format

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/many_objects.py"
CLANG = os.environ.get("CLANG", "clang-19")
CLANGXX = CLANG.replace("clang", "clang++")
STRIP = CLANG.replace("clang", "llvm-strip")
LLVM_OBJCOPY = CLANG.replace("clang", "llvm-objcopy")
LLVM_DWP = CLANG.replace("clang", "llvm-dwp")
ARM64 = "aarch64-linux-gnu"
TIMEOUT = 600  # seconds, for one command

# Name: tools, flags to compile with, flags to link with.
GCC, LLVM = ("gcc", "g++"), (CLANG, CLANGXX)
CROSS = (f"{ARM64}-gcc", None)  # C alone
CROSS_LLVM = tuple([c, f"--target={ARM64}"] for c in LLVM)
BUILDS = {
    "gcc -O0": (GCC, "-O0 -fPIE", "-pie"),
    "gcc -O2": (GCC, "-O2 -fPIE", "-pie"),
    "gcc -Os": (GCC, "-Os -fPIE", "-pie"),
    "gcc -O2 -no-pie": (GCC, "-O2 -fno-pie", "-no-pie"),
    "gcc -O2 -static": (GCC, "-O2 -fno-pie", "-static"),
    "gcc -O2 -static-pie": (GCC, "-O2 -fPIE", "-static-pie"),
    "gcc -O2 -shared": (GCC, "-O2 -fPIC", "-shared"),
    "gcc --gc-sections": (GCC, "-O2 -fPIE -ffunction-sections -fdata-sections",
                          "-pie -Wl,--gc-sections"),
    "gcc -flto": (GCC, "-O2 -fPIE -flto", "-O2 -pie -flto"),
    "gcc -fno-plt": (GCC, "-O2 -fPIC -fno-plt", "-shared"),
    "gcc -fcf-protection": (GCC, "-O2 -fPIE -fcf-protection=full", "-pie -Wl,-z,ibtplt"),
    "gcc -z noseparate-code": (GCC, "-O2 -fPIE", "-pie -Wl,-z,noseparate-code"),
    "gcc --emit-relocs": (GCC, "-O2 -fPIE", "-pie -Wl,--emit-relocs"),
    "gcc --hash-style=both": (GCC, "-O2 -fPIC", "-shared -Wl,--hash-style=both"),
    "gcc gold": (GCC, "-O2 -fPIC", "-shared -fuse-ld=gold"),
    "clang -O0": (LLVM, "-O0 -fPIE", "-pie"),
    "clang -O2": (LLVM, "-O2 -fPIE", "-pie -fuse-ld=lld"),
    "clang -Os": (LLVM, "-Os -fPIE", "-pie -fuse-ld=lld"),
    "clang -O2 -no-pie": (LLVM, "-O2 -fno-pie", "-no-pie -fuse-ld=lld"),
    "clang -O2 -static": (LLVM, "-O2 -fno-pie", "-static -fuse-ld=lld"),
    "clang -O2 -shared": (LLVM, "-O2 -fPIC", "-shared -fuse-ld=lld"),
    "clang --icf=all": (LLVM, "-O2 -fPIE -ffunction-sections",
                        "-pie -fuse-ld=lld -Wl,--icf=all"),
    "clang relr": (LLVM, "-O2 -fPIC", "-shared -fuse-ld=lld -Wl,--pack-dyn-relocs=relr"),
    "clang android": (LLVM, "-O2 -fPIC", "-shared -fuse-ld=lld -Wl,--pack-dyn-relocs=android"),
    "clang -flto": (LLVM, "-O2 -fPIE -flto", "-O2 -pie -flto -fuse-ld=lld"),
    "clang -z separate-code": (LLVM, "-O2 -fPIE", "-pie -fuse-ld=lld -Wl,-z,separate-code"),
    "aarch64 gcc -O2": (CROSS, "-O2 -fPIE", "-pie"),
    "aarch64 gcc -Os -shared": (CROSS, "-Os -fPIC", "-shared"),
    "aarch64 gcc -static": (CROSS, "-O2 -fno-pie", "-static"),
    "aarch64 clang -O2": (CROSS_LLVM, "-O2 -fPIE", "-pie -fuse-ld=lld"),
    "aarch64 clang -shared": (CROSS_LLVM, "-O2 -fPIC", "-shared -fuse-ld=lld"),
}
RUST = {
    "rustc -O": "-O",
    "rustc debug": "-Copt-level=0",
    "rustc -Os": "-Copt-level=s",
    "rustc -O no-pie": "-O -Crelocation-model=static",
    "rustc -O panic=abort": "-O -Cpanic=abort",
    "rustc -O lto": "-O -Clto=fat",
    "rustc -O cdylib": "-O --crate-type=cdylib",
}
RUST_SOURCE = """use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
trait Shape: Debug { fn area(&self) -> f64; fn name(&self) -> &'static str { "some shape" } }
#[derive(Debug, Clone)] struct Circle(f64);
#[derive(Debug, Clone)] struct Square { side: f64, label: String }
impl Shape for Circle { fn area(&self) -> f64 { 3.14159 * self.0 * self.0 } }
impl Shape for Square { fn area(&self) -> f64 { self.side * self.side }
    fn name(&self) -> &'static str { "a square with a label" } }
static TABLE: [&str; 5] = ["zero", "one", "two", "three", "four"];
#[no_mangle] pub extern "C" fn entry(n: usize) -> usize {
    let mut words: HashMap<String, usize> = HashMap::new();
    for w in std::env::args().chain(TABLE.iter().map(|s| s.to_string())) { *words.entry(w).or_default() += n; }
    let sorted: BTreeMap<_, _> = words.iter().collect();
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Circle(n as f64)),
        Box::new(Square { side: 2.5, label: format!("{sorted:?}") })];
    for s in &shapes { println!("{} {:?} {}", s.name(), s, s.area()); }
    let parsed: Result<i32, _> = TABLE[n % 5].parse(); println!("{parsed:?}");
    std::thread::spawn(move || n + 1).join().unwrap() + sorted.len()
}
#[allow(dead_code)] fn main() { std::process::exit(entry(std::env::args().count()) as i32) }
"""

# A program of other people's crates, which Debian has as packages: most programs in Rust are mostly that.
CRATES = "/usr/share/cargo/registry"
CRATES_NEEDED = ["regex-[0-9]*", "aho-corasick-[0-9]*", "serde_json-[0-9]*", "hashbrown-[0-9]*", "clap-[34].*"]
CRATES_MANIFEST = """[package]
name = "shop"
version = "0.1.0"
edition = "2021"
[dependencies]
regex = { version = "*", default-features = false, features = ["std", "perf", "unicode"] }
serde_json = "*"
hashbrown = "*"
clap = ">=3"
[profile.release]
strip = "none"
"""
CRATES_CONFIG = f"""[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{CRATES}"
"""
CRATES_SOURCE = """use std::fmt::Debug;
use regex::Regex;
use serde_json::Value;
trait Shape: Debug { fn area(&self) -> f64; fn name(&self) -> &'static str { "some shape" } }
#[derive(Debug, Clone)] struct Circle(f64);
#[derive(Debug, Clone)] struct Square { side: f64, label: String }
impl Shape for Circle { fn area(&self) -> f64 { 3.14159 * self.0 * self.0 } }
impl Shape for Square { fn area(&self) -> f64 { self.side * self.side + self.label.len() as f64 }
    fn name(&self) -> &'static str { "a square with a label" } }
fn shapes(words: &[String]) -> Vec<Box<dyn Shape>> {
    words.iter().enumerate().map(|(i, w)| -> Box<dyn Shape> {
        if w.len() > 3 { Box::new(Circle(i as f64)) } else { Box::new(Square { side: 2.5, label: w[1..].to_string() }) }
    }).collect()
}
fn main() {
    let asked = clap::Command::new("shop").arg(clap::Arg::new("pattern")).arg(clap::Arg::new("json")).get_matches();
    let text = |name: &str, other: &str| asked.get_one::<String>(name).cloned().unwrap_or(other.to_string());
    let pattern = Regex::new(&text("pattern", "[a-z]+")).unwrap();
    let value: Value = serde_json::from_str(&text("json", "[1, 2]")).expect("no json");
    let mut words = hashbrown::HashMap::new();
    for m in pattern.find_iter(&value.to_string()) { *words.entry(m.as_str().to_string()).or_insert(0usize) += 1; }
    let list: Vec<String> = words.keys().cloned().collect();
    for s in shapes(&list) { println!("{} {:?} {}", s.name(), s, s.area()); }
    let sorted: std::collections::BTreeMap<_, _> = words.iter().collect();
    println!("{}", serde_json::to_string_pretty(&sorted).unwrap());
}
"""


# C++ as people write it: templates of the standard library, and what their types cost.
STANDARD_SOURCE = """#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
struct Job { std::string name; std::vector<int> parts; std::function<int(int)> act; };
static std::map<std::string, std::shared_ptr<Job>> jobs;
template <typename K> static std::string joined(const std::unordered_map<K, std::string> &words)
{
	std::ostringstream out;
	for (const auto &w : words) out << w.first << '=' << w.second << ';';
	return out.str();
}
extern "C" int standard_%d(int n)
{
	auto job = std::make_shared<Job>();
	job->name = "job " + std::to_string(n + %d);
	for (int i = 0; i < n; i++) job->parts.push_back(i * n);
	std::sort(job->parts.begin(), job->parts.end(), [](int a, int b) { return a > b; });
	job->act = [job, n](int i) { return (int)job->parts.size() + i * n; };
	jobs[job->name] = job;
	std::unordered_map<int, std::string> words{{n, "one"}, {n + 1, "two"}};
	std::cout << joined(words) << jobs.size() << job->act(n) << std::endl;
	return (int)jobs.size();
}
"""
STANDARD_COUNT = 4


def run(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired as late:
        raise OSError(f"{' '.join(command[:8])}: no end after {TIMEOUT} s") from late
    if done.returncode != 0:
        raise OSError(f"{' '.join(command[:8])}: {done.stderr.strip()[:300]}")


def as_list(tool):
    return list(tool) if isinstance(tool, list) else [tool]


def compile_c(sources, folder, tools, flags, pattern="*"):
    for suffix, tool, standard in ("c", tools[0], []), ("cc", tools[1], ["-std=c++17"]):
        if tool:
            run([*as_list(tool), "-w", "-c", *standard, *flags.split(),
                 *(str(f) for f in sorted(sources.glob(f"{pattern}.{suffix}")))], folder)


def link_c(objects, out, tools, flags):
    if not tools[1]:
        flags += " -Wl,--unresolved-symbols=ignore-all"
    run([*as_list(tools[1] or tools[0]), f"-B{out.parent.parent}", *flags.split(), "-o", str(out),
         *(str(o) for o in sorted(objects.glob("*.o")))], out.parent)
    return out


def build_c(sources, folder, tools, compile_flags, link_flags):
    compile_c(sources, folder, tools, compile_flags)
    return link_c(folder, folder / "linked", tools, link_flags)


def build_rust(folder, flags):
    (folder / "it.rs").write_text(RUST_SOURCE)
    # The standard library comes with debug information.
    run(["rustc", "--edition=2021", *flags.split(), "-Cstrip=debuginfo", "-o", "linked", "it.rs"],
        folder)
    return folder / "linked"


def has_crates():
    return shutil.which("cargo") and all(any(pathlib.Path(CRATES).glob(name)) for name in CRATES_NEEDED)


def build_crates(folder, flags=("--release",), rustflags="-Cstrip=debuginfo"):
    """The program of crates, by cargo."""
    folder = pathlib.Path(folder) / "shop"
    for name, content in ("Cargo.toml", CRATES_MANIFEST), (".cargo/config.toml", CRATES_CONFIG), ("src/main.rs", CRATES_SOURCE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    env = dict(os.environ, RUSTFLAGS=rustflags, CARGO_TARGET_DIR=str(folder / "target"))
    subprocess.run(["cargo", "build", "--offline", "-q", *flags], check=True, env=env, cwd=folder, timeout=TIMEOUT,
                   stderr=subprocess.DEVNULL)
    return str(folder / "target" / ("release" if "--release" in flags else "debug") / "shop")


def link_tool(root):
    """The folder from which clang and gcc take lld."""
    if lld := shutil.which("ld.lld-19"):
        link = root / "ld.lld"
        if not link.is_symlink():
            link.symlink_to(lld)


def build_all(root, objects):
    """(name, path) of each build and its stripped copy."""
    link_tool(root)
    sources = root / "src"
    subprocess.run([sys.executable, FIXTURE, sources, str(objects), "11", "40"], check=True)

    def build(name):
        folder = root / name.replace(" ", "_").replace("/", "_")
        folder.mkdir()
        try:
            out = (build_rust(folder, RUST[name]) if name in RUST
                   else build_c(sources, folder, *BUILDS[name]))
            stripped = folder / "stripped"
            # GNU strip turns packed relocations into plain ones.
            strip = (STRIP if "clang" in name
                     else f"{ARM64}-strip" if name.startswith("aarch64") else "strip")
            run([strip, "-s", "-o", str(stripped), str(out)], folder)
            return [(name, out), (name, stripped)]
        except OSError as problem:
            print(f"left out: {name}: {problem}", file=sys.stderr)
            return []
    with ThreadPoolExecutor(2) as pool:
        return [pair for pairs in pool.map(build, [*BUILDS, *RUST]) for pair in pairs]


# ---- languages ----------------------------------------------------------------------------------

GO_MACHINES = ["amd64", "386", "arm64", "arm", "mips64le", "ppc64", "riscv64", "s390x"]
GO_FLAGS = {"stripped": "-s -w", "symbols": "-w", "DWARF": ""}
GO_SOURCE = """package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	json.NewEncoder(os.Stdout).Encode(http.ListenAndServe(":0", nil))
}
"""


def build_go(folder, machine, what):
    out = folder / f"go-{machine}-{what}"
    (folder / "main.go").write_text(GO_SOURCE)
    env = dict(os.environ, GOARCH=machine, GOOS="linux", GO111MODULE="off", GOFLAGS="", GOPROXY="off",
               GOCACHE=str(folder / "cache"), GOPATH=str(folder), CGO_ENABLED="0")
    subprocess.run(["go", "build", "-ldflags=" + GO_FLAGS[what], "-o", str(out), str(folder / "main.go")],
                   check=True, env=env, cwd=folder, timeout=TIMEOUT)
    return out


def build_languages(root):
    """(name, path) of each program in Go and Rust that can be built here."""
    ret = []
    if shutil.which("go"):
        ret += [(f"go {m} {w}", build_go(root, m, w)) for m in GO_MACHINES for w in GO_FLAGS]
    if shutil.which("rustc"):
        for name in "rustc -O", "rustc -O lto":
            folder = root / name.replace(" ", "_")
            folder.mkdir()
            out, stripped = build_rust(folder, RUST[name]), folder / "stripped"
            run(["strip", "-s", "-o", str(stripped), str(out)], folder)
            ret += [(name, out), (name, stripped)]
    if has_crates():
        out, stripped = build_crates(root), root / "shop-stripped"
        run(["strip", "-s", "-o", str(stripped), out], root)
        ret += [("cargo crates", out), ("cargo crates", stripped)]
    return ret


# ---- with debug info ----------------------------------------------------------------------------
#
# Steps behind the link get the linked file and return what is to be measured: (what, file,
# arguments of heft) each; "" is the program itself.

def plain(linked):
    return [("", linked, [])]


def objcopy(tool, *flags):
    def step(linked):
        run([tool, *flags, str(linked)], linked.parent)
        return plain(linked)
    return step


def separate(*flags):
    """As distributions do it: the debug info in a file of its own."""
    def step(linked):
        kept, stripped = linked.with_suffix(".debug"), linked.with_suffix(".stripped")
        if "dwz" in flags:
            run(["dwz", str(linked)], linked.parent)
        more = [f for f in flags if f != "dwz"]
        run(["objcopy", "--only-keep-debug", *more, str(linked), str(kept)], linked.parent)
        run(["objcopy", "-g", str(linked), str(stripped)], linked.parent)
        return [("debug file alone", kept, []),
                ("without it", stripped, ["--debug-file=" + str(kept)])]
    return step


def dwz(linked):
    run(["dwz", str(linked)], linked.parent)
    return plain(linked)


def dwz_multiple(linked):
    """A second program is needed to share with."""
    other, common = linked.with_suffix(".other"), linked.with_suffix(".common")
    shutil.copy(linked, other)
    run(["dwz", "-m", str(common), str(linked), str(other)], linked.parent)
    return [("", linked, []), ("shared part", common, [])]


def packed(tool):
    def step(linked):
        package = linked.with_name(linked.name + ".dwp")
        run([tool, "-e", str(linked), "-o", str(package)], linked.parent)
        for f in linked.parent.glob("*.dwo"):
            f.unlink()
        return [("", linked, []), ("package", package, [])]
    return step


def split(linked):
    largest = max(linked.parent.glob("*.dwo"), key=lambda f: f.stat().st_size)
    return [("", linked, []), ("largest .dwo", largest, [])]


PIE, LLD = "-pie", "-pie -fuse-ld=lld"
INDEX = " -Wl,--gdb-index"
# Name: tools, flags to compile with, flags to link with, step behind the link.
DEBUG_BUILDS = {
    "gcc -g -O0": (GCC, "-g -O0", PIE, plain),
    "gcc -g -O2": (GCC, "-g -O2", PIE, plain),
    "gcc -g -Os": (GCC, "-g -Os", PIE, plain),
    "gcc -g -O2 -no-pie": (GCC, "-g -O2 -fno-pie", "-no-pie", plain),
    "gcc -g -O2 -shared": (GCC, "-g -O2 -fPIC", "-shared", plain),
    "gcc -gdwarf-2 -O2": (GCC, "-gdwarf-2 -gstrict-dwarf -O2", PIE, plain),
    "gcc -gdwarf-3 -O2": (GCC, "-gdwarf-3 -gstrict-dwarf -O2", PIE, plain),
    "gcc -gdwarf-4 -O0": (GCC, "-gdwarf-4 -O0", PIE, plain),
    "gcc -gdwarf-4 -O2": (GCC, "-gdwarf-4 -O2", PIE, plain),
    "gcc -gdwarf64 -O2": (GCC, "-g -gdwarf64 -O2", PIE, plain),
    "gcc -g3 -O2": (GCC, "-g3 -O2", PIE, plain),
    "gcc -g3 -gdwarf-4 -O2": (GCC, "-g3 -gdwarf-4 -O2", PIE, plain),
    "gcc -g3 -gdwarf-4 -gstrict-dwarf": (GCC, "-g3 -gdwarf-4 -gstrict-dwarf -O2", PIE, plain),
    "gcc -fdebug-types-section": (GCC, "-g -O2 -fdebug-types-section", PIE, plain),
    "gcc -gdwarf-4 -fdebug-types-section":
        (GCC, "-gdwarf-4 -O2 -fdebug-types-section", PIE, plain),
    "gcc --gc-sections": (GCC, "-g -O2 -ffunction-sections -fdata-sections",
                          "-pie -Wl,--gc-sections", plain),
    "gcc -gdwarf-4 --gc-sections": (GCC, "-gdwarf-4 -O2 -ffunction-sections -fdata-sections",
                                    "-pie -Wl,--gc-sections", plain),
    "gcc -flto": (GCC, "-g -O2 -flto", "-g -O2 -pie -flto", plain),
    "gcc -gz=zlib": (GCC, "-g -O2", "-pie -gz=zlib", plain),
    "gcc -gz=zlib-gnu": (GCC, "-g -O2", "-pie -gz=zlib-gnu", plain),
    "gcc zstd by objcopy": (GCC, "-g -O2", PIE,
                            objcopy(LLVM_OBJCOPY, "--compress-debug-sections=zstd")),
    "gcc -gsplit-dwarf": (GCC, "-g -O2 -gsplit-dwarf", PIE, split),
    "gcc -gdwarf-4 -gsplit-dwarf": (GCC, "-gdwarf-4 -O2 -gsplit-dwarf", PIE, split),
    "gcc -gdwarf-4 -gsplit-dwarf, packed":
        (GCC, "-gdwarf-4 -O2 -gsplit-dwarf", PIE, packed("dwp")),
    "gcc dwz": (GCC, "-g -O2", PIE, dwz),
    "gcc -gdwarf-4 dwz": (GCC, "-gdwarf-4 -O2", PIE, dwz),
    "gcc dwz -m": (GCC, "-g -O2", PIE, dwz_multiple),
    "gcc -gdwarf-4 dwz -m": (GCC, "-gdwarf-4 -O2", PIE, dwz_multiple),
    "gcc separate": (GCC, "-g -O2", PIE, separate()),
    "gcc separate, dwz, zlib": (GCC, "-g -O2", PIE,
                                separate("dwz", "--compress-debug-sections=zlib")),
    "gcc gold --gdb-index": (GCC, "-gdwarf-4 -O2 -ggnu-pubnames", "-pie -fuse-ld=gold" + INDEX,
                             plain),
    "gcc lld --gdb-index": (GCC, "-g -O2 -ggnu-pubnames", LLD + INDEX, plain),
    "gcc -gpubnames": (GCC, "-g -O2 -gpubnames", PIE, plain),
    "gcc --emit-relocs": (GCC, "-g -O2", "-pie -Wl,--emit-relocs", plain),
    "gcc -r": (GCC, "-g -O2", "-r -nostdlib", plain),
    "gcc archive": (GCC, "-g -O2", "archive", plain),
    "clang -g -O0": (LLVM, "-g -O0", LLD, plain),
    "clang -g -O2": (LLVM, "-g -O2", LLD, plain),
    "clang -g -Os": (LLVM, "-g -Os", LLD, plain),
    "clang -g -O2 bfd": (LLVM, "-g -O2", PIE, plain),
    "clang -gdwarf-4 -O0": (LLVM, "-gdwarf-4 -O0", LLD, plain),
    "clang -gdwarf-4 -O2": (LLVM, "-gdwarf-4 -O2", LLD, plain),
    "clang -gdwarf64 -O2": (LLVM, "-g -gdwarf64 -O2", LLD, plain),
    "clang -g -fdebug-macro": (LLVM, "-g3 -fdebug-macro -O2", LLD, plain),
    "clang -fdebug-types-section": (LLVM, "-g -O2 -fdebug-types-section", LLD, plain),
    "clang -gdwarf-4 -fdebug-types-section":
        (LLVM, "-gdwarf-4 -O2 -fdebug-types-section", LLD, plain),
    "clang --gc-sections": (LLVM, "-g -O2 -ffunction-sections -fdata-sections",
                            LLD + " -Wl,--gc-sections", plain),
    "clang -gdwarf-4 --gc-sections":
        (LLVM, "-gdwarf-4 -O2 -ffunction-sections -fdata-sections",
         LLD + " -Wl,--gc-sections", plain),
    "clang -flto": (LLVM, "-g -O2 -flto", "-g -O2 -flto " + LLD, plain),
    "clang -flto=thin": (LLVM, "-g -O2 -flto=thin", "-g -O2 -flto=thin " + LLD, plain),
    "clang -gz=zlib": (LLVM, "-g -O2", LLD + " -Wl,--compress-debug-sections=zlib", plain),
    "clang -gz=zstd": (LLVM, "-g -O2", LLD + " -Wl,--compress-debug-sections=zstd", plain),
    "clang -gsplit-dwarf": (LLVM, "-g -O2 -gsplit-dwarf", LLD, split),
    "clang -gdwarf-4 -gsplit-dwarf": (LLVM, "-gdwarf-4 -O2 -gsplit-dwarf", LLD, split),
    "clang -gsplit-dwarf -fdebug-types-section":
        (LLVM, "-g -O2 -gsplit-dwarf -fdebug-types-section", LLD, split),
    "clang -gsplit-dwarf, packed": (LLVM, "-g -O2 -gsplit-dwarf", LLD, packed(LLVM_DWP)),
    "clang -gdwarf-4 -gsplit-dwarf, packed":
        (LLVM, "-gdwarf-4 -O2 -gsplit-dwarf", LLD, packed(LLVM_DWP)),
    "clang -gpubnames": (LLVM, "-g -O2 -gpubnames", LLD, plain),
    "clang --debug-names": (LLVM, "-g -O2 -gpubnames", LLD + " -Wl,--debug-names", plain),
    "clang --gdb-index": (LLVM, "-g -O2 -ggnu-pubnames", LLD + INDEX, plain),
    "clang dwz": (LLVM, "-g -O2", LLD, dwz),
    "clang -gdwarf-4 dwz": (LLVM, "-gdwarf-4 -O2", LLD, dwz),
    "clang separate": (LLVM, "-g -O2", LLD, separate()),
    "clang --emit-relocs": (LLVM, "-g -O2", LLD + " -Wl,--emit-relocs", plain),
    "clang -r": (LLVM, "-g -O2", "-r -nostdlib -fuse-ld=lld", plain),
    "clang archive": (LLVM, "-g -O2", "archive", plain),
    "aarch64 gcc -g -O2": (CROSS, "-g -O2 -fPIE", PIE, plain),
    "aarch64 clang -g -O2": ((CROSS_LLVM[0], None), "-g -O2 -fPIC", "-shared -fuse-ld=lld", plain),
}
DEBUG_RUST = {
    "rustc -g": "-g -Copt-level=0",
    "rustc -g -O": "-g -O",
    "rustc -g -O lto": "-g -O -Clto=fat",
    "rustc -g -O dwarf 5": "-g -O -Cdwarf-version=5",
    "rustc -g split": "-g -O -Csplit-debuginfo=packed",
}


def debug_rust(folder, flags):
    (folder / "it.rs").write_text(RUST_SOURCE)
    run([os.environ.get("RUSTC", "rustc"), "--edition=2021", *flags.split(), "-o", "linked", "it.rs"], folder)
    return [("", next(folder.glob("linked*")), [])]


def debug_sources(root, objects):
    """The same as without debug info, and C++ that uses the standard library."""
    sources = root / "src"
    if not sources.is_dir():
        subprocess.run([sys.executable, FIXTURE, sources, str(objects), "11", "40"], check=True)
        for n in range(STANDARD_COUNT):
            (sources / f"standard_{n}.cc").write_text(STANDARD_SOURCE % (n, n))
    return sources


class ObjectFolders:
    """Objects that several builds link are compiled once; split ones have files beside them."""

    def __init__(self, root, sources):
        self.root, self.sources, self.locks = root, sources, {}
        self.lock = threading.Lock()

    def get(self, folder, tools, flags, standard=True):
        """`standard`: there is a standard library of C++."""
        if "-gsplit-dwarf" not in flags:
            name = re.sub(r"\W+", "_", f"objects {tools[0]} {flags}")
            folder = self.root / name
        with self.lock:
            mine = self.locks.setdefault(folder, threading.Lock())
        with mine:
            done = folder / "compiled"
            if not done.is_file():
                folder.mkdir(exist_ok=True)
                compile_c(self.sources, folder, tools, flags, "*" if standard else "[!s]*")
                done.touch()
        return folder


def make_debug_build(folder, name, objects):
    if name in DEBUG_RUST:
        return debug_rust(folder, DEBUG_RUST[name])
    if name in RUST_TARGETS:
        return debug_rust(folder, "-g -O --target=" + RUST_TARGETS[name])
    linked = folder / "linked"
    if name in FORMAT_BUILDS:
        build = FORMAT_BUILDS[name]
        found = objects.get(folder, build["tools"], build["flags"], build.get("standard", False))
        return link_format(found, folder / build.get("name", "linked"), build)
    tools, compile_flags, link_flags, step = DEBUG_BUILDS[name]
    found = objects.get(folder, tools, compile_flags)
    if link_flags == "archive":
        run(["ar", "rcs", str(linked), *(str(o) for o in sorted(found.glob("*.o")))], folder)
    else:
        link_c(found, linked, tools, link_flags)
    return step(linked)


def debug_build(root, name, objects):
    """(what, file, arguments) of one build; what an earlier run left in the folder is taken."""
    folder = root / re.sub(r"\W+", "_", name)
    listing = folder / "measured"
    if not listing.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made = make_debug_build(folder, name, objects)
        listing.write_text("".join(f"{what}\t{path}\t{shlex.join(args)}\n"
                                   for what, path, args in made))
    lines = [line.split("\t") for line in listing.read_text().splitlines()]
    return [(name + (", " + what if what else ""), path, shlex.split(args))
            for what, path, args in lines]


def build_debug(root, objects, wanted=""):
    """(name, file, arguments of heft) of each build whose name has `wanted` in it."""
    root.mkdir(exist_ok=True)
    link_tool(root)
    folders = ObjectFolders(root, debug_sources(root, objects))

    def build(name):
        try:
            return debug_build(root, name, folders)
        except OSError as problem:
            print(f"left out: {name}: {problem}", file=sys.stderr)
            return []
    with ThreadPoolExecutor(2) as pool:
        names = [n for n in [*DEBUG_BUILDS, *DEBUG_RUST, *FORMAT_BUILDS, *RUST_TARGETS] if wanted in n]
        for found in pool.map(build, names):
            yield from found
