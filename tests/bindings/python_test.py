#!/usr/bin/env python3
"""The Python package: the same numbers as the command line, what ctypes knows against the compiler, no leak.

FULL=1: 10,000 rounds for leaks, not 300.

usage: tests/bindings/python_test.py HEFT LIBHEFT SOURCE [LIBHEFT-HEAP]
"""
import ast
import contextlib
import io
import json
import os
import pathlib
import pprint
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

HEFT, LIBRARY, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
RECORDER = sys.argv[4:5]
PYTHON = SOURCE / "bindings/python"
FULL = bool(os.environ.get("FULL"))
PROGRAM = r"""
#include <stdlib.h>
namespace shop { struct basket { long items[9]; int count; };
int fill(basket *b, int n) { for (int i = 0; i < n; i++) b->items[i % 9] = i * n; return b->count = n; } }
static shop::basket baskets[50];
char *kept;
const char greeting[] = "a text of the program";
int main(int argc, char **argv) { kept = (char *)malloc(4321); kept[0] = **argv;
	return shop::fill(&baskets[argc], argc) > 100 ? kept[0] : 0; }
"""


def said(*words):
    return subprocess.run([str(word) for word in words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def command(*words):
    return json.loads(said(HEFT, *words, "--format=json"))


def leaves(row, depth, above=()):
    """Labels, file and VM bytes of the rows without children."""
    if not row["children"]:
        return [((*above, "")[:depth], row["file"], row["vm"])]
    return [leaf for child in row["children"] for leaf in leaves(child, depth, (*above, child["label"]))]


class Abi(unittest.TestCase):
    def test_layouts_and_constants_are_the_compilers(self):
        build = PYTHON / "build.py"
        program = TMP / "layout.c"
        program.write_bytes(said(sys.executable, build, "check", SOURCE / "include"))
        said("cc", "-I", SOURCE / "include", "-o", TMP / "layout", program)
        facts = said(sys.executable, build, "facts", SOURCE / "include").decode().splitlines()
        self.assertGreater(len(facts), 700)
        self.assertEqual(said(TMP / "layout").decode().splitlines(), facts)

    def test_functions_are_those_of_the_library(self):
        names = [line.split()[2].split("@")[0] for line in said("nm", "-D", "--defined-only", LIBRARY).decode().splitlines()
                 if line.split()[1] == "T"]
        self.assertEqual(sorted(names), sorted(heft._abi.FUNCTIONS))

    def test_wheel_has_all(self):
        again = TMP / "again"
        again.mkdir()
        said(sys.executable, PYTHON / "build.py", "wheel", again)
        wheel = next(TMP.glob("*.whl"))
        self.assertEqual(wheel.read_bytes(), (again / wheel.name).read_bytes())
        with zipfile.ZipFile(wheel) as files:
            self.assertEqual({"heft/__init__.py", "heft/_abi.py", "heft/console.py", "heft/mcp.py", "heft/mcp_answers.py", "heft/py.typed"},
                             {name for name in files.namelist() if "dist-info" not in name})


class Rows(unittest.TestCase):
    def test_profile_is_that_of_the_command(self):
        for by in ("sections", "sections,symbols", "compileunits,symbols"):
            document = command("size", "-n", "0", "-d", by, PROG)
            table = heft.profile(PROG, by=by.split(","))
            self.assertEqual([(tuple(row[level] for level in by.split(",")), row["file"], row["vm"]) for row in table],
                             leaves(document["total"], len(by.split(","))))
            self.assertEqual(sum(row["file"] for row in table), PROG.stat().st_size)
            self.assertEqual(table.total, {"file": document["total"]["file"], "vm": document["total"]["vm"]})

    def test_profile_with_a_base_is_a_difference(self):
        table = heft.profile(PROG, base=OTHER, by="symbols")
        self.assertIn("base_file", table.columns)
        self.assertEqual(table.total["base_file"], OTHER.stat().st_size)

    def test_filters_and_limits(self):
        self.assertTrue(all("basket" in row["symbols"] or "fill" in row["symbols"] for row in
                            heft.profile(PROG, by="symbols", include="basket|fill")))
        self.assertEqual(len(heft.profile(PROG, by="symbols", rows=3)), 4)
        self.assertFalse(any(".debug" in row["sections"] for row in heft.profile(PROG, debug=False)))

    def test_where_finds_names_and_addresses(self):
        by_name = heft.where(PROG, "shop::fill", by="symbols")[0]
        self.assertEqual(by_name, heft.where(PROG, by_name["address"], by="symbols")[0])
        self.assertEqual(by_name["frames"][0]["line"], 4)

        with heft.Where(PROG, by="symbols") as opened:
            self.assertEqual(opened.find("shop::fill", by_name["address"]), [by_name, by_name])
            with self.assertRaises(heft.UsageError):
                opened.find("nothing like this")
            self.assertEqual(opened.find("shop::fill"), [by_name])

    def test_progress_is_told_and_cancels(self):
        told = []
        heft.profile(PROG, by="symbols", progress=lambda *step: told.append(step))
        self.assertTrue(told)
        self.assertTrue(all(done <= total or not total for _, done, total in told))
        with self.assertRaises(heft.CanceledError):
            heft.profile(PROG, by="symbols", progress=lambda *_: False)

    def test_info_and_stack(self):
        self.assertEqual([row["path"] for row in heft.info(PROG, OTHER)], [str(PROG), str(OTHER)])
        largest = heft.info(PROG, OTHER, sort="size", rows=1)
        self.assertEqual(largest[0]["bytes"], max(PROG.stat().st_size, OTHER.stat().st_size))
        self.assertEqual(largest[1]["path"], "[1 Others]")
        self.assertTrue(all(row["stack"] >= row["frame"] for row in heft.stack(PROG, every=True)))

    def test_why_and_advise(self):
        (row,) = heft.why(PROG, "shop::fill")
        self.assertEqual((row["chain"][0]["from"], row["chain"][-1]["to"]), ("", row["name"]))
        self.assertGreaterEqual(row["retained_vm"], row["own_vm"])
        self.assertIn("main", [user["from"] for user in row["users"]] + [step["from"] for step in row["chain"]])
        with self.assertRaises(heft.UsageError):
            heft.why(PROG, "shop::fil")
        found = {row["label"]: row for row in heft.advise(PROG)}
        self.assertEqual(found["symbol table"]["sure"], "stated")
        self.assertTrue(all(row["bytes"] > 0 and row["change"] for row in found.values()))

    def test_snapshot_asks_sql_and_writes(self):
        with heft.Snapshot(PROG, metadata={"title": "made here"}) as snapshot:
            self.assertEqual(snapshot.query("SELECT full_name FROM symbols WHERE name = 'shop::fill'"),
                             [{"full_name": "shop::fill(shop::basket*, int)"}])
            self.assertEqual(len(snapshot.query("@largest", rows=5)), 5)
            self.assertIn("@largest", heft.queries())
            for sql in ("SELECT 1; SELECT 2", "@nothing", "SELECT sure FROM symbols"):
                with self.assertRaises(heft.UsageError):
                    snapshot.query(sql)
            snapshot.write(TMP / "x.size")
            count = len(snapshot.symbols)
        with heft.Snapshot(TMP / "x.size") as again:
            self.assertEqual(len(again.symbols), count)
            self.assertEqual(again.query("SELECT value FROM metadata WHERE key = 'title'")[0]["value"], "made here")

    def test_diff_is_that_of_the_command(self):
        document = command("diff", "-n", "0", OTHER, PROG)
        with heft.Snapshot(OTHER) as before:
            for table in (heft.diff(OTHER, PROG), heft.diff(before, PROG)):
                self.assertEqual([(row["symbol"], row["charged"], row["change"]) for row in table],
                                 [(row["label"], row["charged"], row["change"]) for row in document["total"]["children"]])

    def test_check_says_which_limits_are_broken(self):
        (TMP / "limits").write_text("file max 10\nfile max 10M\n")
        table = heft.check(TMP / "limits", PROG)
        self.assertEqual([row["state"] for row in table], ["broken", "ok"])
        self.assertEqual(table.document["broken"], 1)

    @unittest.skipUnless(RECORDER, "this build has no recorder")
    def test_heap_is_that_of_the_command(self):
        dump = TMP / "r.heap"
        said(HEFT, "heap", "run", f"--recorder={RECORDER[0]}", "-o", dump, PROG)
        with heft.Heap(dump) as heap:
            rows = heap.rows()
            document = command("heap", "show", "-n", "0", dump)
            self.assertEqual(rows.total["live_bytes"], document["total"]["live_bytes"])
            self.assertEqual(sum(row["live_bytes"] for row in rows), rows.total["live_bytes"])
            row = next(row for row in rows if row["live_bytes"] == 4321)
            self.assertEqual(row["frames"][0]["function"], "main")
            self.assertTrue(row["site"].startswith("main"), row["site"])
            for by in ("function", "tree", "callers", "module"):
                self.assertEqual(sum(row["live_bytes"] for row in heap.rows(by)), rows.total["live_bytes"], by)
            self.assertEqual(heap.rows(base=heap), [])
            self.assertTrue(heap.timeline())
            self.assertEqual(heap.digest()["live_bytes"], rows.total["live_bytes"])

    def test_pandas_takes_rows(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (install python3-pandas)")
        table = heft.profile(PROG, by=["sections", "symbols"])
        for frame in (pandas.DataFrame(table), table.frame()):
            self.assertEqual(int(frame["file"].sum()), PROG.stat().st_size)


class Page(unittest.TestCase):
    @unittest.skipUnless(RECORDER, "this build has no recorder")
    def test_examples_of_the_page_run(self):
        import re
        folder = TMP / "page"
        folder.mkdir()
        for name, made in (("app", PROG), ("libapp.so", OTHER), ("fw.elf", PROG), ("old", OTHER), ("new", PROG)):
            shutil.copy(made, folder / name)
        for name in ("app", "old"):
            said(HEFT, "heap", "run", "--leaks", f"--recorder={RECORDER[0]}", "-o", folder / f"{name}.core", folder / name)
        said(HEFT, "snapshot", OTHER, "-o", folder / "old.size")
        (folder / "limits.txt").write_text("file max 10M\n")
        examples = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/python.md").read_text(), re.S)
        self.assertGreaterEqual(len(examples), 3)
        text = "".join(examples).replace("0x401136", hex(heft.where(PROG, "main")[0]["address"]))
        try:
            import pandas
        except ImportError:
            text = re.sub(r"\.frame\(\)[^\n]*", "", text)
        before = os.getcwd()
        os.chdir(folder)
        try:
            with open(os.devnull, "w", encoding="ascii") as quiet, contextlib.redirect_stdout(quiet):
                exec(compile(text, "docs/python.md", "exec"), {})  # pylint: disable=exec-used
        finally:
            os.chdir(before)


def cell_outcome(text, names):
    """What a cell of a notebook prints, and the repr of its last expression."""
    body = ast.parse(text).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "notebook", "exec"), names)  # pylint: disable=exec-used
        value = eval(compile(last, "notebook", "eval"), names) if last else None  # pylint: disable=eval-used
    return printed.getvalue() + ("" if value is None else pprint.pformat(value))


class Notebook(unittest.TestCase):
    """docs/notebook.ipynb.  To store its outputs anew: jupyter nbconvert --execute --inplace docs/notebook.ipynb"""

    def test_is_valid_and_names_no_machine(self):
        text = (SOURCE / "docs/notebook.ipynb").read_text()
        notebook = json.loads(text)
        self.assertEqual(notebook["nbformat"], 4)
        self.assertNotRegex(text, r"/(work|home|root|tmp)/")
        ids = [cell["id"] for cell in notebook["cells"]]
        self.assertEqual(len(set(ids)), len(ids))
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                self.assertIn(output["output_type"], ("stream", "execute_result"))
                self.assertNotEqual(output.get("name"), "stderr")
        try:
            import nbformat
        except ImportError:
            self.skipTest("the schema is not checked: no nbformat (install python3-nbformat)")
        nbformat.validate(notebook)

    def test_cells_run_and_say_what_is_stored(self):
        """A cell with the tag "varies" has numbers of a machine: only the first line of its output, the columns, is compared."""
        try:
            import pandas  # pylint: disable=unused-import
        except ImportError:
            self.skipTest("no pandas (install python3-pandas)")
        notebook, names, compared = json.loads((SOURCE / "docs/notebook.ipynb").read_text()), {}, 0
        before = os.getcwd()
        os.chdir(SOURCE / "docs")
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                said_now = cell_outcome("".join(cell["source"]), names).splitlines()
                stored = "".join(line for output in cell["outputs"]
                                 for line in output.get("text") or output["data"]["text/plain"]).splitlines()
                lines = 1 if "varies" in cell["metadata"].get("tags", ()) else None
                self.assertEqual([line.split() for line in said_now[:lines]], [line.split() for line in stored[:lines]], cell["id"])
                compared += bool(stored)
        finally:
            os.chdir(before)
            shutil.rmtree(names.get("OUT", TMP / "no such folder"), ignore_errors=True)
        self.assertGreater(compared, 10)


class Errors(unittest.TestCase):
    def test_errors_are_exceptions(self):
        for error, call in ((FileNotFoundError, lambda: open("/no such file", "rb")),
                            (heft.FileError, lambda: heft.profile("/no such file")),
                            (OSError, lambda: heft.Snapshot("/no such file")),
                            (heft.UsageError, lambda: heft.profile(PROG, by="nothing")),
                            (ValueError, lambda: heft.diff(PROG, PROG, by="nothing")),
                            (heft.UsageError, lambda: heft.Snapshot(PROG).query("SELECT nothing")),
                            (heft.UsageError, lambda: heft.Snapshot(PROG).query("@nothing")),
                            (heft.UsageError, lambda: heft.profile(PROG, include="(")),
                            (heft.Error, lambda: heft.Heap(PROG)),
                            (heft.FormatError, lambda: heft.check(PROG, PROG)),
                            (TypeError, lambda: heft.profile(PROG, nothing=1))):
            with self.assertRaises(error):
                call()
        with self.assertRaises(heft.FileError) as caught:
            heft.profile("/no such file")
        self.assertEqual(caught.exception.errno, 2)

    def test_library_that_is_missing_is_told(self):
        done = subprocess.run([sys.executable, "-c", "import heft; heft.version()"], stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "HEFT_LIBRARY": "/no/libheft.so"}, text=True)
        self.assertIn("ImportError: libheft was not found", done.stderr)
        named = subprocess.run([sys.executable, "-c", "import ctypes, os, heft\nos.environ.pop('HEFT_LIBRARY', 0)\n"
                                "def refuse(name): raise OSError(name)\nctypes.CDLL = refuse\nheft.version()"],
                               stderr=subprocess.PIPE, check=False, text=True)
        self.assertIn("libheft was not found (libheft.so.1): install libheft1", named.stderr)

    def test_nothing_leaks(self):
        def kibibytes():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize() // 1024

        def turn():
            heft.profile(PROG, by=["sections", "symbols"], rows=5, threads=1)
            heft.where(PROG, "main")
            heft.diff(OTHER, PROG, threads=1)
            heft.Snapshot(PROG).query("SELECT count(*) FROM symbols")
            for call in (lambda: heft.profile(PROG, by="nothing"), lambda: heft.Heap("/no such file")):
                with self.assertRaises(heft.Error):
                    call()
        for _ in range(50):
            turn()
        before = kibibytes()
        for _ in range(10_000 if FULL else 250):
            turn()
        self.assertLess(kibibytes() - before, 1024)


class Console(unittest.TestCase):
    def setUp(self):
        self.console = heft.Console(PROG)

    def test_filters_part_the_symbols(self):
        symbols = self.console.symbols
        for part in (symbols.WhereInSection("t"), symbols.WhereInSection(".text"), symbols.WhereNameMatches("{{fill}}"),
                     symbols.WhereHasPath(), symbols.WherePssBiggerThan(100)):
            self.assertGreater(len(part), 0)
            self.assertEqual(len(part) + len(part.Inverted()), len(symbols))
            self.assertEqual(len(symbols - part), len(part.Inverted()))
        self.assertEqual([s.full_name for s in symbols.WhereFullNameMatches("shop::.*int")], ["shop::fill(shop::basket*, int)"])
        self.assertEqual(len(symbols.WhereInSection("t")), len(symbols.WhereInSection(".text")))

    def test_groups_keep_the_sizes(self):
        symbols = self.console.symbols
        for groups in (symbols.GroupedByName(depth=1), symbols.GroupedByPath(depth=2), symbols.GroupedBySectionName(),
                       symbols.GroupedByComponent(), symbols.GroupedByFullName(), symbols.GroupedByAliases()):
            self.assertAlmostEqual(groups.pss, symbols.pss, places=3)
            self.assertEqual(groups.size, symbols.size)
        pss = [group.pss for group in symbols.GroupedByName(depth=1).Sorted()]
        self.assertEqual(pss, sorted(pss, reverse=True))
        self.assertEqual(symbols.GroupedByName(depth=1)["shop"][0].name, "shop::fill")

    def test_texts(self):
        self.assertIn("Section Sizes", self.console.Describe())
        self.assertIn("shop::fill", self.console.Describe(self.console.symbols.WhereNameMatches("fill")))
        out = io.StringIO()
        self.console.Csv(self.console.symbols, to_file=out)
        self.assertEqual(len(out.getvalue().splitlines()), len(self.console.symbols) + 1)
        self.console.Print(self.console.symbols.GroupedByPath(), to_file=out)
        self.assertTrue(all(s.IsStringLiteral() for s in self.console.ReadStringLiterals()))

    def test_spellings(self):
        expand = heft.console.expand_regex
        for text, pattern, found in (("kSomeName", "{{some_name}}", True), ("SOME_NAME", "{{some_name}}", True),
                                     ("someName", "{{some_name}}", True), ("GetSomeNames", "{{some_name}}", False),
                                     ("GetSomeNames", "{{_some_name_}}", True), ("other", "{{some_name}}", False)):
            self.assertEqual(heft.console.re.search(expand(pattern), text) is not None, found, (text, pattern))


def time_told():
    """Not a test: what a call takes of the processor beside the command, without the start of the interpreter."""
    ours, theirs = [], []
    for _ in range(5):
        start = time.process_time()
        heft.profile(LIBRARY, by="symbols", names="short")
        ours.append(time.process_time() - start)
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        said(HEFT, "-d", "symbols", "-n", "0", LIBRARY)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        theirs.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    print(f"heft.profile: {min(ours) / min(theirs):.2f} of the time of heft -d symbols")


if __name__ == "__main__":
    for compiler in ("cc", "g++", "nm"):
        if not shutil.which(compiler):
            print(f"SKIP: no {compiler} (install g++)")
            sys.exit(77)
    if b"__asan_init" in said("nm", "-D", LIBRARY):
        print("SKIP: Python loads no library with a sanitizer")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        TMP = pathlib.Path(folder)
        # What people import: the package of the wheel.
        said(sys.executable, PYTHON / "build.py", "wheel", TMP)
        sys.path.insert(0, str(next(TMP.glob("*.whl"))))
        os.environ["PYTHONPATH"] = sys.path[0]
        os.environ["HEFT_LIBRARY"] = str(LIBRARY)
        import heft
        import heft.console
        PROG, OTHER = TMP / "prog", TMP / "other"
        (TMP / "prog.cc").write_text(PROGRAM)
        (TMP / "other.cc").write_text(PROGRAM.replace("[50]", "[5]").replace("i * n", "i"))
        for made in (PROG, OTHER):
            said("g++", "-O1", "-g", "-fno-inline", "-o", made, made.with_suffix(".cc"))
        ran = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
        for case, why in ran.skipped:
            print(f"LEFT OUT: {case.id()}: {why}")
        time_told()
        wrong = len(ran.failures) + len(ran.errors)
        print(f"{ran.testsRun - wrong - len(ran.skipped)} passed, {wrong} failed")
    sys.exit(0 if ran.wasSuccessful() and ran.testsRun > 15 else 1)
