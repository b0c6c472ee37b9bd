#!/usr/bin/env python3
"""Packages of programs in languages with modules, each built by its own compiler here: the modules that the source
states are packages, with the names as the language writes them.

usage: tests/oracle/modules.py HEFT
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

PASCAL_UNIT = """unit shapes;
{$mode objfpc}
interface
type TSquare = class
  function Area(n: longint): longint;
end;
implementation
function TSquare.Area(n: longint): longint;
begin Area := n * n; end;
end.
"""
PASCAL = """program hello;
{$mode objfpc}
uses sysutils, shapes;
var s: TSquare;
begin
  s := TSquare.Create;
  writeln(IntToStr(s.Area(3)));
  s.Free;
end.
"""
OCAML = """let twice f x = f (f x)
let ( +! ) a b = a * b
let apply l = List.map (fun x -> twice (fun y -> y +! x) x) l
"""
FORTRAN = """module shapes
  implicit none
  real :: scale = 2.0
contains
  real function area(r)
    real, intent(in) :: r
    area = 3.14 * r * r * scale
  end function
end module
program p
  use shapes
  print *, area(2.0)
end program
"""
NIM = """proc twice*(n: int): int {.noinline.} = n * 2
proc make*(n: int): ref int =
  new(result)
  result[] = twice(n)
"""
D = """module app.shapes;
import std.stdio;
class Square { int n; int area() { return n * n; } }
void main() { auto s = new Square; s.n = 3; writeln(s.area()); }
"""
# Compiler, its package of Debian, files, command, {package: part of a name in it}.
LANGUAGES = [
    ("fpc", "fp-compiler", {"shapes.pas": PASCAL_UNIT, "hello.pas": PASCAL}, ["fpc", "-Xs-", "-oprogram", "hello.pas"],
     {"SHAPES": "SHAPES.TSQUARE.AREA", "SYSUTILS": "SYSUTILS.INTTOSTR", "SYSTEM": "SYSTEM.TOBJECT.FREE"}),
    ("ocamlopt", "ocaml-nox", {"shape.ml": OCAML, "main.ml": 'let () = List.iter print_int (Shape.apply [1; 2])'},
     ["ocamlopt", "shape.ml", "main.ml", "-o", "program"],
     {"Shape": "Shape.+!_", "Stdlib": "Stdlib.List.map_", "Main": "Main.entry"}),
    ("gfortran", "gfortran", {"shapes.f90": FORTRAN}, ["gfortran", "-o", "program", "shapes.f90"],
     {"shapes": "shapes::area"}),
    ("nim", "nim", {"shape.nim": NIM, "program.nim": "import shape\necho make(3)[]\n"},
     ["nim", "c", "--hints:off", "-d:release", "--nimcache:cache", "-o:program", "program.nim"],
     {"shape": "twice__shape", "system": "__system_"}),
    ("gdc", "gdc", {"shapes.d": D}, ["gdc", "shapes.d", "-o", "program"],
     {"app": "app.shapes.Square.area", "std": "std."}),
]


def rows(heft, program):
    text = subprocess.run([heft, "-d", "packages,symbols", "-n", "0", "--csv", program], capture_output=True, text=True,
                          check=True).stdout
    return list(csv.DictReader(text.splitlines()))


def problems(heft, program, wanted):
    found = rows(heft, program)
    size = sum(int(row["filesize"]) for row in found)
    if size != os.path.getsize(program):
        yield f"rows add up to {size} bytes"
    for package, name in wanted.items():
        if not any(row["packages"] == package and name in row["symbols"] for row in found):
            yield f"no {name} in {package}"


def main():
    heft = os.path.abspath(sys.argv[1])
    failed = checked = 0
    for compiler, package, files, command, wanted in LANGUAGES:
        if not shutil.which(compiler):
            print(f"LEFT OUT: {compiler}: not there (install {package})")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            found = list(problems(heft, os.path.join(folder, "program"), wanted))
        for problem in found:
            print(f"{compiler}: {problem}")
        checked += 1
        failed += len(found) > 0
    print(f"{checked - failed} of {checked} languages as they should be")
    if not checked:
        print("SKIP: no compiler of another language (install gfortran fp-compiler nim gdc ocaml-nox)")
    sys.exit(1 if failed else 0 if checked else 77)


if __name__ == "__main__":
    main()
