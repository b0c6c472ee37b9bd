#!/usr/bin/env python3
"""heft-mcp: every message against the schema of the Model Context Protocol, every answer against its limit and other tools.

FULL=1: the fixed questions also about a kernel, a vmlinux of 600 MB: KERNEL=FILE, or that of linux-image-*-dbg. Numbers of the
worked tasks are compared too; they are those of Debian 12's compiler.

usage: tests/bindings/mcp_test.py HEFT LIBHEFT SOURCE [LIBHEFT-HEAP]
"""
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

HEFT, LIBRARY, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
RECORDER = [pathlib.Path(word).resolve() for word in sys.argv[4:5]]
FULL = bool(os.environ.get("FULL"))
KERNEL = os.environ.get("KERNEL") or max(map(str, pathlib.Path("/usr/lib/debug/boot").glob("vmlinux-*")), default="")
LIMIT = 16_384
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
PROGRAM = r"""
#include <cstdlib>
#include <map>
#include <string>
namespace shop {
struct basket { long items[9]; int count; };
static const unsigned prices[4096] = {1, 2, 3};
std::map<std::string, basket> known;
__attribute__((noinline)) char *page_new(size_t n) { return (char *)malloc(n); }
static inline __attribute__((always_inline)) long price(int i) { return prices[i & 4095] * 3L; }
__attribute__((noinline)) int fill(basket *b, int n)
{
	for (int i = 0; i < n; i++)
		b->items[i % 9] += price(i);
	return b->count = n;
}
void load(int n) { for (int i = 0; i < n; i++) known["basket " + std::to_string(i)] = basket(); }
}
char *kept[100];
int main(int argc, char **)
{
	shop::basket b = {};
	for (int i = 0; i < 100; i++)
		kept[i] = shop::page_new(4321);
	kept[0] = shop::page_new(1000);
	shop::load(5);
	return shop::fill(&b, argc) > 100;
}
"""

# ---- the schema of the protocol, as far as a server of tools needs it (revision 2025-06-18, schema.ts) --------

TEXT = {"type": "object", "required": ["type", "text"], "properties": {"type": {"enum": ["text"]}, "text": {"type": "string"}}}
OBJECT_SCHEMA = {"type": "object", "required": ["type"], "properties": {
    "type": {"enum": ["object"]}, "properties": {"type": "object", "each": {"type": "object"}},
    "required": {"type": "array", "items": {"type": "string"}}}}
TOOL = {"type": "object", "required": ["name", "inputSchema"], "properties": {
    "name": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"}, "inputSchema": OBJECT_SCHEMA,
    "outputSchema": OBJECT_SCHEMA, "annotations": {"type": "object", "closed": True, "properties": {
        "title": {"type": "string"}, "readOnlyHint": {"type": "boolean"}, "destructiveHint": {"type": "boolean"},
        "idempotentHint": {"type": "boolean"}, "openWorldHint": {"type": "boolean"}}}}}
RESULTS = {
    "initialize": {"type": "object", "required": ["capabilities", "protocolVersion", "serverInfo"], "properties": {
        "protocolVersion": {"type": "string"}, "instructions": {"type": "string"},
        "capabilities": {"type": "object", "required": ["tools"], "properties": {
            "tools": {"type": "object", "properties": {"listChanged": {"type": "boolean"}}}}},
        "serverInfo": {"type": "object", "required": ["name", "version"], "properties": {
            "name": {"type": "string"}, "version": {"type": "string"}, "title": {"type": "string"}}}}},
    "ping": {"type": "object"},
    "tools/list": {"type": "object", "required": ["tools"], "properties": {"tools": {"type": "array", "items": TOOL}}},
    "tools/call": {"type": "object", "required": ["content"], "properties": {
        "content": {"type": "array", "items": TEXT}, "structuredContent": {"type": "object"}, "isError": {"type": "boolean"}}},
}
IDS = ["string", "integer"]
RESPONSE = {"type": "object", "closed": True, "required": ["jsonrpc", "id", "result"], "properties": {
    "jsonrpc": {"enum": ["2.0"]}, "id": {"type": IDS}, "result": {"type": "object"}}}
FAILED = {"type": "object", "closed": True, "required": ["jsonrpc", "id", "error"], "properties": {
    "jsonrpc": {"enum": ["2.0"]}, "id": {"type": [*IDS, "null"]}, "error": {
        "type": "object", "required": ["code", "message"], "properties": {
            "code": {"type": "integer"}, "message": {"type": "string"}}}}}
PROGRESS = {"type": "object", "closed": True, "required": ["jsonrpc", "method", "params"], "properties": {
    "jsonrpc": {"enum": ["2.0"]}, "method": {"enum": ["notifications/progress"]}, "params": {
        "type": "object", "closed": True, "required": ["progressToken", "progress"], "properties": {
            "progressToken": {"type": IDS}, "progress": {"type": "integer"}, "message": {"type": "string"}}}}}
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}


def hold(value, schema, place="message"):
    """Holds a value against a schema: the keywords of JSON Schema that are used here, `closed` and `each`."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds:
        good = any(isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds)
        assert good, f"{place}: {value!r:.80} is no {kinds}"
    assert value in schema.get("enum", [value]), f"{place}: {value!r:.80}"
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            assert name in value, f"{place}: no {name}"
        for name, part in value.items():
            about = schema.get("properties", {}).get(name, schema.get("each"))
            assert about is not None or not (schema.get("closed") or schema.get("additionalProperties") is False), \
                f"{place}: {name} is not of the schema"
            if about is not None:
                hold(part, about, f"{place}.{name}")
    for i, part in enumerate(value if isinstance(value, list) and "items" in schema else ()):
        hold(part, schema["items"], f"{place}[{i}]")


# ---- a client -------------------------------------------------------------------------------------


class Client:
    """Speaks with a server. Each line that comes is held against the schema."""

    def __init__(self, version=VERSIONS[1]):
        self.server = subprocess.Popen([sys.executable, "-m", "heft.mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, cwd=TMP)
        self.number, self.heard, self.progress, self.asked, self.longest = 0, b"", [], {}, 0
        self.told = self.request("initialize", {"protocolVersion": version, "capabilities": {},
                                                "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = {tool["name"]: tool for tool in self.request("tools/list")["tools"]}

    def send(self, message):
        self.send_line(json.dumps(message).encode())

    def send_line(self, line):
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def line(self, seconds=60.0):
        """The next line of the server; None if none comes."""
        end = time.monotonic() + seconds
        while b"\n" not in self.heard:
            if not select.select([self.server.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                return None
            data = os.read(self.server.stdout.fileno(), 1 << 16)
            assert data, "the server has ended"
            self.heard += data
        line, self.heard = self.heard.split(b"\n", 1)
        return line

    def ask(self, method, params=None):
        self.number += 1
        self.asked[self.number] = method
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, **({} if params is None else {"params": params})})
        return self.number

    def response(self, number):
        while True:
            line = self.line()
            assert line is not None, "no response"
            message = json.loads(line)
            if "method" in message:
                hold(message, PROGRESS)
                self.progress.append(message["params"])
                continue
            hold(message, FAILED if "error" in message else RESPONSE)
            self.longest = max(self.longest, len(line))
            assert message["id"] == number, message
            if "result" in message:
                hold(message["result"], RESULTS[self.asked[number]])
                assert self.asked[number] != "tools/call" or len(line) <= LIMIT, len(line)
            return message

    def request(self, method, params=None):
        message = self.response(self.ask(method, params))
        return message.get("result", message)

    def call(self, tool, token=None, **arguments):
        """Calls a tool: its structured content, with the text as `text`."""
        made = self.request("tools/call", {"name": tool, "arguments": arguments,
                                           **({"_meta": {"progressToken": token}} if token is not None else {})})
        text = made["content"][0]["text"]
        if made.get("isError"):
            raise AssertionError(text)
        content = made["structuredContent"]
        hold(content, self.tools[tool]["outputSchema"])
        if jsonschema:
            jsonschema.Draft202012Validator(self.tools[tool]["outputSchema"]).validate(content)
        assert all(len(row) == len(content["columns"]) for row in content["rows"])
        return {**content, "text": text, "dicts": [dict(zip(content["columns"], row)) for row in content["rows"]]}

    def refused(self, tool, **arguments):
        """The text of a call that fails."""
        made = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert made.get("isError") is True, made
        text = made["content"][0]["text"]
        assert "\n" not in text and len(text) <= 1200, text
        return text

    def close(self):
        self.server.stdin.close()
        status = self.server.wait(20)
        self.server.stdout.close()
        return status


class Case(unittest.TestCase):
    client = None

    @classmethod
    def setUpClass(cls):
        cls.client = Client()

    @classmethod
    def tearDownClass(cls):
        assert cls.client.close() == 0


# ---- the protocol ---------------------------------------------------------------------------------


class Protocol(unittest.TestCase):
    def test_versions_are_negotiated(self):
        for asked in (*VERSIONS, "1999-01-01"):
            client = Client(asked)
            self.assertEqual(client.told["protocolVersion"], asked if asked in VERSIONS else VERSIONS[0])
            spoken = client.told["protocolVersion"]
            for tool in client.tools.values():
                self.assertEqual("annotations" in tool, spoken >= "2025-03-26")
                self.assertEqual("outputSchema" in tool, spoken >= "2025-06-18")
            made = client.request("tools/call", {"name": "info", "arguments": {"files": [str(PROG)]}})
            self.assertEqual("structuredContent" in made, spoken >= "2025-06-18")
            self.assertEqual(client.close(), 0)

    def test_tools_are_described(self):
        client = Client()
        self.assertEqual(sorted(client.tools), ["advise", "diff", "heap", "info", "query", "size", "where", "why"])
        for tool in client.tools.values():
            self.assertIs(tool["annotations"]["readOnlyHint"], True)
            schema = tool["inputSchema"]
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertTrue(all(about.get("description") for about in schema["properties"].values()))
            if jsonschema:
                jsonschema.Draft202012Validator.check_schema(schema)
                jsonschema.Draft7Validator.check_schema(tool["outputSchema"])
        self.assertLess(client.longest, LIMIT)
        client.close()

    def test_mistakes_of_messages_are_errors(self):
        client = Client()
        for line, code in ((b"no json", -32700), (b"\xff\xfe", -32700), (b"[" * 100_000, -32700), (b'{"a": NaN}', -32700),
                           (b"9" * 5000, -32700), (b"{}", -32600), (b"[]", -32600), (b"7", -32600), (b'"x"', -32600),
                           (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
                           (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                           (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                           (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
                           (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', None),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "size", "arguments": [1]}}',
                            -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "x' + b"y" * (5 << 20) + b'"}', -32600)):
            client.send_line(line)
            message = json.loads(client.line())
            if code is None:
                hold(message, RESPONSE)
                continue
            hold(message, FAILED)
            self.assertEqual(message["error"]["code"], code, line[:80])
            self.assertLess(len(message["error"]["message"]), 300)
        for line in (b"", b"  ", b'{"jsonrpc": "2.0", "method": "notifications/nothing"}',
                     b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}}',
                     b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}',
                     b'{"jsonrpc": "2.0", "id": 9, "result": {}}'):
            client.send_line(line)
        self.assertIsNone(client.line(0.3))
        self.assertEqual(client.request("ping"), {})
        client.close()

    def test_lists_of_messages_where_the_revision_has_them(self):
        client = Client("2025-03-26")
        asked = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"}, 7,
                 {"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                  "params": {"name": "info", "arguments": {"files": [str(PROG)]}}}]
        client.send(asked)
        messages = json.loads(client.line())
        self.assertEqual({message["id"] for message in messages}, {"a", "b", None})
        for message in messages:
            hold(message, FAILED if "error" in message else RESPONSE)
        client.close()

    def test_pings_are_answered_and_calls_cancelled_meanwhile(self):
        client = Client()
        client.call("query", file=str(PROG), sql="SELECT 1")
        long = client.ask("tools/call", {"name": "query", "arguments": {"file": str(PROG), "sql": ENDLESS},
                                         "_meta": {"progressToken": "p"}})
        waiting = client.ask("tools/call", {"name": "info", "arguments": {"files": [str(PROG)]}})
        start = time.monotonic()
        self.assertEqual(client.request("ping"), {})
        time.sleep(1)
        for number in (waiting, long):
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number, "reason": "x"}})
        self.assertEqual(client.call("info", files=[str(PROG)])["row_count"], 1)
        self.assertLess(time.monotonic() - start, 4)
        told = [note["progress"] for note in client.progress if note["progressToken"] == "p"]
        self.assertGreater(len(told), 1)
        self.assertEqual(told, sorted(set(told)))
        client.close()

    def test_worker_that_ends_does_not_end_the_server(self):
        client = Client()
        client.call("info", files=[str(PROG)])
        children = pathlib.Path(f"/proc/{client.server.pid}/task/{client.server.pid}/children")
        if not children.exists():
            self.skipTest("the system does not list children")
        for between in (False, True):
            number = None if between else client.ask("tools/call", {"name": "query",
                                                                    "arguments": {"file": str(PROG), "sql": ENDLESS}})
            time.sleep(0.3)
            os.kill(int(children.read_text().split()[0]), 9)
            if not between:
                made = client.response(number)["result"]
                self.assertTrue(made["isError"])
                self.assertIn("SIGKILL", made["content"][0]["text"])
            self.assertEqual(client.call("info", files=[str(PROG)])["row_count"], 1)
        client.close()

    def test_calls_are_answered_after_the_end_of_input(self):
        client = Client()
        client.ask("tools/call", {"name": "size", "arguments": {"file": str(PROG)}})
        client.server.stdin.close()
        self.assertEqual(json.loads(client.line())["result"]["isError"], False)
        self.assertEqual(client.server.wait(10), 0)
        client.server.stdout.close()

    def test_command_line(self):
        for words, status in ((["--help"], 0), (["--version"], 0), (["x"], 2)):
            self.assertEqual(subprocess.run([sys.executable, "-m", "heft.mcp", *words], stdout=subprocess.DEVNULL,
                                            check=False).returncode, status)


# ---- answers --------------------------------------------------------------------------------------


class Answers(Case):
    def every_row(self, tool, **arguments):
        """The rows of all pages."""
        rows, cursor, pages = [], {}, 0
        while True:
            page = self.client.call(tool, **arguments, **cursor)
            self.assertEqual(page["first_row"], len(rows) + 1)
            rows += page["rows"]
            pages += 1
            if "next_cursor" not in page:
                self.assertEqual(len(rows), page["row_count"])
                return rows, page, pages
            self.assertEqual(page["left_out"]["rows"], page["row_count"] - len(rows))
            self.assertIn(f"Left out after row {len(rows)}", page["text"])
            cursor = {"cursor": page["next_cursor"]}

    def test_sizes_of_all_pages_add_up_to_the_file(self):
        for by in ("sections", "symbols", "packages,symbols", "compileunits"):
            rows, page, pages = self.every_row("size", file=str(PROG), by=by, debug_info=True, rows=500)
            self.assertEqual(sum(row[0] for row in rows), PROG.stat().st_size)
            self.assertEqual(page["total"]["file_bytes"], PROG.stat().st_size)
        rows, _, pages = self.every_row("size", file=str(LIBRARY), by="symbols", rows=500, match="^(str|map|dwarf|heap|image)")
        self.assertEqual(len({row[2] for row in rows}), len(rows))
        self.assertGreater(pages, 1)

    def test_sorts_and_filters(self):
        for sort, column in (("file", 0), ("memory", 1)):
            rows = self.client.call("size", file=str(PROG), by="symbols", sort=sort)["rows"]
            self.assertEqual([row[column] for row in rows], sorted((row[column] for row in rows), reverse=True))
        names = [row[2] for row in self.client.call("size", file=str(PROG), by="symbols", match="shop::", sort="name")["rows"]]
        self.assertEqual(names, sorted(names))
        self.assertIn("shop::prices", names)
        self.assertNotIn("main", names)

    def test_changed_file_is_read_again(self):
        file = TMP / "changing"
        shutil.copy(PROG, file)
        first = self.client.call("size", file=str(file), by="symbols", rows=2)
        self.client.call("where", file=str(file), places=["main"])
        shutil.copy(OTHER, file)
        self.assertIn("file changed", self.client.refused("size", file=str(file), by="symbols", cursor=first["next_cursor"]))
        self.assertEqual(self.client.call("size", file=str(file), debug_info=True)["total"]["file_bytes"], OTHER.stat().st_size)
        self.assertEqual(self.client.call("query", file=str(file), sql="SELECT own FROM symbols WHERE name = 'shop::prices'")["rows"],
                         [[65536]])

    def test_where_tells_source_and_owner(self):
        row = self.client.call("where", file=str(PROG), places=["shop::fill"])["dicts"][0]
        self.assertEqual((row["symbol"], row["how_sure"]), ("shop::fill(shop::basket*, int)", "stated"))
        self.assertRegex(row["source"], r"prog\.cc:12$")
        again = self.client.call("where", file=str(PROG), places=[row["address"]])["dicts"][0]
        self.assertEqual({**again, "asked": ""}, {**row, "asked": ""})
        both = self.client.call("where", file=str(PROG), places=["main", "nothing like this"])
        self.assertEqual(both["row_count"], 1)
        self.assertIn("Not found: nothing like this", both["text"])
        self.assertIn("ask query", self.client.refused("where", file=str(PROG), places=["nothing like this"]))

    def test_why_tells_chain_and_what_would_go(self):
        made = self.client.call("why", file=str(PROG), names=["shop::fill"])
        chain = [row for row in made["dicts"] if row["part"] == "chain"]
        self.assertEqual((chain[0]["kind"], chain[-1]["name"]), ("entry point", "shop::fill(shop::basket*, int)"))
        self.assertIn("would go with it", made["text"])
        self.assertIn("did you mean", self.client.refused("why", file=str(PROG), names=["shop::fil"]))

    def test_advice_has_bytes_and_what_to_do(self):
        made = self.client.call("advise", file=str(PROG))["dicts"]
        self.assertIn("The symbol table names functions that nothing links to", [row["what"] for row in made])
        self.assertTrue(all(row["bytes"] > 0 and row["change"] for row in made))

    def test_diff_names_the_cause(self):
        made = self.client.call("diff", before=str(PROG), after=str(OTHER))
        self.assertEqual(made["dicts"][0]["symbol"], "shop::prices")
        self.assertEqual(made["dicts"][0]["file_change"], 65536 - 16384)
        self.assertEqual(self.client.call("diff", before=str(PROG), after=str(OTHER), by="package")["dicts"][0]["packages"], "shop")
        self.assertEqual(self.client.call("diff", before=str(PROG), after=str(PROG))["total"]["file_change"], 0)
        for by in ("source", "directory", "section", "namespace", "library", "symbols,sure"):
            made = self.client.call("diff", before=str(PROG), after=str(OTHER), by=by)
            self.assertEqual(sum(row["file_change"] for row in made["dicts"]), made["total"]["file_change"], by)
            self.assertEqual("memory_change" in made["columns"], by != "section")
        self.assertIn("section", self.client.refused("diff", before=str(PROG), after=str(OTHER), by="packages", section=".text"))

    def test_query_gives_rows_of_any_width(self):
        many = ", ".join(f"'{'é' * 300}' c{i}" for i in range(60))
        made = self.client.call("query", file=str(PROG), sql=f"SELECT {many}")
        self.assertEqual((len(made["columns"]), len(made["rows"])), (40, 1))
        self.assertIn("20 columns are left out", made["text"])
        made = self.client.call("query", file=str(PROG), sql="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT "
                                "30000) SELECT x, 'text of some length' t FROM c", rows=500)
        self.assertEqual(made["row_count"], 20_000)
        self.assertIn("first 20,000 rows", made["text"])
        self.assertEqual(self.client.call("query", file=str(PROG), sql="SELECT 9223372036854775807 n, NULL e, 1.5 f")["rows"],
                         [["0x7fffffffffffffff", None, 1.5]])
        self.client.call("query", file=str(PROG), sql="@duplicates")
        for sql in ("@largest", "SELECT sure, stack FROM symbols LIMIT 1"):
            self.assertTrue(self.client.call("query", file=str(PROG), sql=sql)["rows"], sql)
        for sql, why in (("DROP TABLE symbols", "only read"), ("SELECT 1; SELECT 2", "one at a time"), ("SELECT x", "no such column"),
                         ("@nothing", "@largest"), ("ATTACH '/tmp/x' AS x", "only read")):
            self.assertIn(why, self.client.refused("query", file=str(PROG), sql=sql))

    @unittest.skipUnless(RECORDER, "this build has no recorder")
    def test_heap_tells_holders_and_leaks(self):
        dumps = []
        for program in (PROG, OTHER):
            dumps.append(TMP / f"{program.name}.core")
            subprocess.run([HEFT, "heap", "run", "--leaks", f"--recorder={RECORDER[0]}", "-o", dumps[-1], program], check=True,
                           stderr=subprocess.DEVNULL)
        made = self.client.call("heap", dump=str(dumps[0]))
        row = next(row for row in made["dicts"] if row["live_bytes"] == 432100)
        self.assertRegex(row["stack"], r"^shop::page_new\(\) \(prog\.cc:\d+\) < main \(prog\.cc:\d+\)")
        leaks = self.client.call("heap", dump=str(dumps[0]), view="leaks")
        self.assertEqual(leaks["total"]["live_bytes"], 4321)
        for by in ("function", "module", "file", "line", "thread", "size"):
            rows = self.client.call("heap", dump=str(dumps[0]), by=by, sort="alloc_bytes")
            self.assertEqual(sum(row["live_bytes"] for row in rows["dicts"]), made["total"]["live_bytes"], by)
        for sort in ("live", "peak", "allocs", "temporary"):
            self.assertTrue(self.client.call("heap", dump=str(dumps[0]), sort=sort)["rows"])
        grown = self.client.call("heap", dump=str(dumps[1]), base=str(dumps[0]), by="module")
        self.assertEqual(sum(row["live_bytes_change"] for row in grown["dicts"]), grown["total"]["live_bytes_change"])
        for view in ("timeline", "layout", "damage", "threads"):
            self.assertGreaterEqual(self.client.call("heap", dump=str(dumps[0]), view=view)["row_count"], view != "damage")
        self.assertIn("only addresses", self.client.refused("where", file=str(dumps[0]), places=["main"]))
        self.assertTrue(self.client.call("where", file=str(dumps[0]), places=[self.first_address(dumps[0])])["rows"])

    @staticmethod
    def first_address(dump):
        """An address that the dump has: the start of its first mapping."""
        with open(dump, "rb") as file:
            header = file.read(64)
            file.seek(int.from_bytes(header[32:40], "little"))
            for _ in range(int.from_bytes(header[56:58], "little")):
                segment = file.read(56)
                if int.from_bytes(segment[:4], "little") == 1:
                    return hex(int.from_bytes(segment[16:24], "little"))
        return "0"


@unittest.skipUnless(RECORDER, "this build has no recorder")
class Skill(Case):
    """The worked tasks of share/skill: their commands run, their tools are called, and both say what is written there."""

    @classmethod
    def setUpClass(cls):
        cls.folder = TMP / "skill"
        cls.folder.mkdir()
        shutil.copy(SOURCE / "share/skill/example/shop.cc", cls.folder)
        for words in (["-o", "old"], ["-DNEW", "-o", "new"]):
            subprocess.run(["g++", "-g", "-O1", f"-ffile-prefix-map={cls.folder}=.", *words, "shop.cc"], cwd=cls.folder, check=True)
        super().setUpClass()

    def setUp(self):
        self.page = (SOURCE / "share/skill/SKILL.md").read_text()

    def outcome(self, line):
        """The lines that a command or a call of a tool gives."""
        if line.startswith("$ "):
            words = line[2:].replace("heap run", f"heap run --recorder={RECORDER[0]}")
            done = subprocess.run(words, shell=True, cwd=self.folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={**os.environ, "PATH": f"{HEFT.parent}:{os.environ['PATH']}"}, text=True)
            return done.stdout.splitlines()
        tool, arguments = line.split(" ", 1)
        arguments = json.loads(arguments)
        for name in ("file", "dump", "before", "after"):
            if name in arguments:
                arguments[name] = str(self.folder / arguments[name])
        return self.client.call(tool, **arguments)["text"].replace(f"{self.folder}/", "").splitlines()

    @staticmethod
    def masked(line):
        """A line without what other compilers change: numbers."""
        return line.split() if FULL else re.sub(r"[\d.,]*\d(Ki|%)?", "N", line).split()

    def test_tasks_give_what_is_written(self):
        blocks = re.findall(r"(?m)^```\n(.*?)^```$", self.page, re.S)
        self.assertEqual(len(re.findall(r"(?m)^## Task", self.page)), 5)
        self.assertGreaterEqual(len(blocks), 10)
        for block in blocks:
            asked, *written = block.splitlines()
            lines = self.outcome(asked)
            for line in written:
                if line != "...":
                    words = [re.escape(word) if word != "..." else ".*" for word in self.masked(line)]
                    pattern = " ".join(words).replace(" .*", ".*").replace(".* ", ".*")
                    while lines and not re.fullmatch(pattern, " ".join(self.masked(lines[0]))):
                        lines.pop(0)
                    self.assertTrue(lines, f"{asked}: there is no line: {line}")
                    lines.pop(0)

    def test_folder_is_one_that_agents_read(self):
        head = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n", self.page)
        self.assertRegex(head[1], r"^[a-z0-9-]{1,64}$")
        self.assertLess(len(head[2]), 1024)
        self.assertLess(len(self.page.splitlines()), 500)
        for link in re.findall(r"\]\((\w[\w./]*)\)", self.page):
            self.assertTrue((SOURCE / "share/skill" / link).exists(), link)

    def test_reference_names_what_there_is(self):
        text = (SOURCE / "share/skill/reference.md").read_text()
        sources = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in text.split("## Rows")[1].split("## Tables")[0]
                                                 .splitlines() if line.startswith("| `")))
        self.assertGreater(len(sources), 10)
        known = self.client.tools["size"]["inputSchema"]["properties"]["by"]["description"]
        for source in sources:
            self.assertRegex(known, rf"\b{source}\b")
        for ready in re.findall(r"`(@[\w-]+)`", text):
            self.assertIn(ready, self.client.tools["query"]["description"])
        columns = set()
        for table in ("symbols", "charges"):
            columns |= set(self.client.call("query", file=str(PROG), sql=f"SELECT * FROM {table} LIMIT 1")["columns"])
        said = re.sub(r"\(.*?\)", "", text.split("`symbols`:")[1].split("debug.")[0].replace("\n", " "))
        for column in re.findall(r"\w+", said.split(";")[0]):
            self.assertIn(column, columns)


class Mistakes(Case):
    def test_arguments_are_checked(self):
        for tool, arguments, words in (
                ("size", {}, "'file' is missing"), ("size", {"flie": "x"}, "did you mean 'file'"), ("size", {"file": 7}, "no string"),
                ("size", {"file": str(PROG), "rows": 0}, "1 to 500"), ("size", {"file": str(PROG), "rows": True}, "no integer"),
                ("size", {"file": str(PROG), "rows": 10**30}, "1 to 500"), ("size", {"file": str(PROG), "by": "symbl"}, "'symbols'"),
                ("size", {"file": str(PROG), "by": ""}, "no data source"), ("size", {"file": str(PROG), "match": "("}, "("),
                ("size", {"file": str(PROG), "sort": "x"}, "one of file, memory, name"), ("size", {"file": "a\0b"}, "character"),
                ("size", {"file": "\ud800"}, "character"), ("size", {"file": str(PROG), "cursor": "x"}, "cursor"),
                ("size", {"file": str(PROG), "cursor": "9" * 40 + ".x"}, "cursor"),
                ("where", {"file": str(PROG), "places": []}, "1 to 50"),
                ("where", {"file": str(PROG), "places": [7]}, "no string"), ("info", {"files": ["x"] * 51}, "1 to 50"),
                ("diff", {"before": str(PROG), "after": str(PROG), "by": "x"}, "no data source"),
                ("heap", {"dump": str(PROG), "view": "x"}, "one of holders"), ("heap", {"dump": str(PROG)}, "core"),
                ("size", {"file": "nothing"}, "relative paths begin at"), ("size", {"file": "/" + "x" * 10000}, "")):
            text = self.client.refused(tool, **arguments)
            self.assertIn(words, text)

    def test_bad_files_are_told_and_do_no_harm(self):
        os.mkfifo(TMP / "pipe")
        whole = PROG.read_bytes()
        made = {"empty": b"", "text": b"text\n" * 100, "magic": b"\x7fELF", "zeros": bytes(5000), "ar": b"!<arch>\n" + b"x" * 60,
                "sizes": b"# Created by\n{}", "zip": b"PK\3\4" + bytes(40), "cut": whole[:len(whole) // 2], "head": whole[:64],
                "inner": whole[:100] + b"\xff" * 3000 + whole[3100:], "tail": whole[:-1000]}
        for name, data in made.items():
            (TMP / name).write_bytes(data)
        for path in [str(TMP), str(TMP / "pipe"), "/dev/zero", "/dev/null", "/no/file", "", *(str(TMP / name) for name in made)]:
            for tool, arguments in (("size", {"file": path, "by": "symbols"}), ("where", {"file": path, "places": ["main", "0x1000"]}),
                                    ("info", {"files": [path]}), ("query", {"file": path, "sql": "@largest"}),
                                    ("heap", {"dump": path}),
                                    ("diff", {"before": path, "after": str(PROG)})):
                message = self.client.request("tools/call", {"name": tool, "arguments": arguments})
                self.assertNotIn("fault", message["content"][0]["text"], (tool, path))
        self.assertEqual(self.client.call("size", file=str(PROG), debug_info=True)["total"]["file_bytes"], PROG.stat().st_size)


# ---- fixed questions, with the answers of other tools ---------------------------------------------


def said(*words, many=False):
    done = subprocess.run([str(word) for word in words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return done.splitlines() if many else done


class Questions(Case):
    """Twenty questions about a program with debug info. nm, readelf and addr2line know the answers."""
    file = LIBRARY

    def setUp(self):
        if "sections" in vars(type(self)):
            return
        cls = type(self)
        cls.sections = {}
        for line in said("readelf", "-SW", cls.file, many=True):
            if found := re.match(r"\s*\[\s*\d+\] (\S+)\s+(\S+)\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) \S+\s+(\w*) ", line):
                cls.sections[found[1]] = (found[2], int(found[3], 16), int(found[5], 16), found[6])
        if ".debug_info" not in cls.sections:
            self.skipTest(f"{cls.file} has no debug info")
        cls.loaded = [(int(at, 16), int(size, 16)) for at, size in re.findall(
            r"LOAD +\S+ (\S+) \S+ (\S+) ", said("readelf", "-lW", cls.file))]
        cls.symbols = [(int(at, 16), int(size, 16), kind, name) for at, size, kind, name in
                       (line.split(None, 3) for line in said("nm", "-S", "--defined-only", cls.file, many=True)
                        if re.match(r"[0-9a-f]+ [0-9a-f]+ \S ", line)) if kind.lower() in "tdrbv"]
        once = {}
        for symbol in cls.symbols:
            once.setdefault(symbol[3], []).append(symbol)
        starts = {}
        for symbol in cls.symbols:
            starts.setdefault(symbol[0], []).append(symbol)
        cls.alone = [symbols[0] for name, symbols in once.items() if len(symbols) == 1 and len(starts[symbols[0][0]]) == 1
                     and re.fullmatch(r"[a-zA-Z]\w*", name)]
        cls.functions = sorted((s for s in cls.alone if s[2] in "tT"), key=lambda s: -s[1])
        cls.data = sorted((s for s in cls.alone if s[2] in "dDrRbB"), key=lambda s: -s[1])

    def ask(self, tool, **arguments):
        start = time.monotonic()
        made = self.client.call(tool, **arguments)
        TIMES.setdefault(type(self).__name__, []).append(time.monotonic() - start)
        return made

    def in_file(self, address):
        """The file has the byte at this address: segments of kernels hold zeroed memory as bytes."""
        return any(at <= address < at + size for at, size in self.loaded)

    def size_of(self, by, label, **more):
        rows = self.ask("size", file=str(self.file), by=by, match=f"^{re.escape(label)}$", debug_info=True, **more)
        self.assertEqual(rows["row_count"], 1)
        return rows["dicts"][0]

    def where(self, *places):
        return self.ask("where", file=str(self.file), places=list(places))["dicts"]

    def sql(self, sql):
        return self.ask("query", file=str(self.file), sql=sql)["rows"]

    def test_01_how_large_is_the_file(self):
        self.assertEqual(self.ask("info", files=[str(self.file)])["dicts"][0]["bytes"], os.path.getsize(self.file))

    def test_02_has_it_symbols_and_debug_info(self):
        row = self.ask("info", files=[str(self.file)])["dicts"][0]
        self.assertEqual((row["symbols"], row["debug"]), ("all", "inside"))
        self.assertIn(".debug_info", self.sections)

    def test_03_what_is_its_build_id(self):
        self.assertEqual(self.ask("info", files=[str(self.file)])["dicts"][0]["build_id"],
                         re.search(r"Build ID: (\w+)", said("readelf", "-n", self.file))[1])

    def test_04_which_compiler_made_it(self):
        first = said("readelf", "-p", ".comment", self.file, many=True)[2].split("]")[1].strip()
        self.assertIn(first, self.ask("info", files=[str(self.file)])["dicts"][0]["made_by"])

    def test_05_how_large_is_text(self):
        size = self.size_of("sections", ".text")["file_bytes"]
        self.assertLess(size - self.sections[".text"][2], 64)       # Padding after a section is charged to it.
        self.assertGreaterEqual(size, self.sections[".text"][2])

    def test_06_how_much_is_zeroed_memory(self):
        row = self.size_of("sections", ".bss")
        _, at, size, _ = self.sections[".bss"]
        self.assertEqual((row["file_bytes"], row["memory_bytes"]), (size if self.in_file(at) else 0, size))

    def test_07_which_section_is_largest_in_the_file(self):
        rows = self.ask("size", file=str(self.file), sort="file", debug_info=True)["dicts"]
        self.assertEqual((rows[0]["file_bytes"], rows[0]["sections"]), max(
            (size, name) for name, (kind, _, size, _) in self.sections.items() if kind != "NOBITS"))

    def test_08_how_much_is_debug_info(self):
        whole, shipped = (self.ask("size", file=str(self.file), debug_info=debug)["total"]["file_bytes"] for debug in (True, False))
        self.assertEqual(whole, os.path.getsize(self.file))
        debug = sum(size for name, (_, _, size, _) in self.sections.items() if name.startswith(".debug_"))
        self.assertAlmostEqual((whole - shipped) / debug, 1, delta=1e-4)

    def test_09_which_function_is_largest(self):
        rows = self.sql("SELECT max(own) FROM symbols WHERE kind = 'code' AND sure = 'stated' AND alias_group = id "
                        "AND name <> '(alignment)'")
        self.assertEqual(rows[0][0], max(size for _, size, kind, _ in self.symbols if kind in "tTwW"))

    def test_10_which_table_is_largest(self):
        rows = self.sql("SELECT own, full_name, source FROM symbols WHERE kind = 'data' AND in_file AND alias_group = id "
                        "AND sure = 'stated' ORDER BY own DESC LIMIT 1")
        at, size, _, name = max((s for s in self.symbols if s[2] in "rRdDV"), key=lambda s: s[1])
        self.assertEqual(rows[0][0], size)
        self.assertEqual(int(self.where(name)[0]["address"], 16), at)

    def test_11_where_are_the_largest_functions(self):
        names = [s[3] for s in self.functions[:10]]
        self.assertEqual([int(row["address"], 16) for row in self.where(*names)], [s[0] for s in self.functions[:10]])

    def test_12_how_large_are_they(self):
        rows = self.where(*(s[3] for s in self.functions[:10]))
        self.assertEqual([row["symbol_bytes"] for row in rows], [s[1] for s in self.functions[:10]])

    def test_13_what_is_in_their_middle(self):
        asked = self.functions[5:15]
        rows = self.where(*(hex(s[0] + s[1] // 2) for s in asked))
        self.assertEqual([row["symbol"] for row in rows], [s[3] for s in asked])
        self.assertEqual([row["offset_in_symbol"] for row in rows], [s[1] // 2 for s in asked])

    def test_14_which_source_lines_are_that(self):
        asked = [hex(s[0]) for s in self.functions[5:15]]
        lines = said("addr2line", "-e", self.file, *asked, many=True)
        rows, known = self.where(*asked), 0
        for line, row in zip(lines, rows):
            path, number = re.fullmatch(r"(.*):([\d?]+)(?: .*)?", line).groups()
            if number == "?":
                continue
            known += 1
            self.assertEqual((os.path.basename(path), number), (os.path.basename(row["source"]).split(":")[0],
                                                                 row["source"].split(":")[1]))
        self.assertGreater(known, 5)

    def test_15_who_owns_the_largest_variables(self):
        rows = self.where(*(hex(s[0] + s[1] - 1) for s in self.data[:10]))
        self.assertEqual([row["owner"] for row in rows], [s[3] for s in self.data[:10]])
        self.assertTrue(all(row["how_sure"] == "stated" for row in rows))

    def test_16_do_packages_add_up(self):
        made = self.ask("size", file=str(self.file), by="packages", debug_info=True, rows=500)
        rest = made.get("left_out", {"file_bytes": 0})["file_bytes"]
        self.assertEqual(sum(row["file_bytes"] for row in made["dicts"]) + rest, os.path.getsize(self.file))

    def test_17_how_many_functions_has_it(self):
        count = self.sql("SELECT count(DISTINCT address) FROM symbols WHERE kind = 'code' AND section = '.text' AND own > 0 "
                         "AND sure = 'stated' AND name <> '(alignment)'")[0][0]
        text = self.sections[".text"]
        known = len({s[0] for s in self.symbols if s[2] in "tTwW" and text[1] <= s[0] < text[1] + text[2] and s[1]})
        self.assertAlmostEqual(count / known, 1, delta=0.01)

    def test_18_what_do_names_with_init_take(self):
        count, own = self.sql("SELECT count(*), sum(own) FROM symbols WHERE kind = 'code' AND name LIKE '%\\_init' ESCAPE '\\' "
                              "AND alias_group = id AND sure = 'stated'")[0]
        known = {s[0]: s[1] for s in self.symbols if s[2] in "tT" and ".cold" not in s[3]
                 and s[3].split(".")[0].endswith("_init")}
        self.assertAlmostEqual(count / len(known), 1, delta=0.05)
        self.assertAlmostEqual(own / sum(known.values()), 1, delta=0.05)

    def test_19_does_it_differ_from_itself(self):
        made = self.ask("diff", before=str(self.file), after=str(self.file), by="section")
        self.assertEqual((made["row_count"], made["total"]["file_change"]), (0, 0))

    def test_20_what_do_its_largest_variables_take_in_memory(self):
        for at, size, _, name in self.data[:3]:
            row = self.ask("size", file=str(self.file), by="symbols", match=f"^{re.escape(name)}$", names="raw")["dicts"][0]
            self.assertEqual(row["memory_bytes"] >= size, True, name)
            self.assertLess(row["memory_bytes"], 4 * size + 4096)      # With the relocations of its pointers.
            self.assertEqual(row["file_bytes"] >= size, self.in_file(at), name)


class KernelQuestions(Questions):
    """The same about a kernel."""
    file = pathlib.Path(KERNEL)

    @classmethod
    def setUpClass(cls):
        if not FULL:
            raise unittest.SkipTest("a kernel takes a minute (FULL=1)")
        if not KERNEL:
            raise unittest.SkipTest("no kernel with debug info (install linux-image-amd64-dbg, or KERNEL=FILE)")
        super().setUpClass()


TIMES = {}

if __name__ == "__main__":
    for wanted in ("g++", "nm", "readelf", "addr2line"):
        if not shutil.which(wanted):
            print(f"SKIP: no {wanted} (install g++, binutils)")
            sys.exit(77)
    if "__asan_init" in said("nm", "-D", LIBRARY):
        print("SKIP: Python loads no library with a sanitizer")
        sys.exit(77)
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    with tempfile.TemporaryDirectory() as folder:
        TMP = pathlib.Path(folder)
        said(sys.executable, SOURCE / "bindings/python/build.py", "wheel", TMP)
        with zipfile.ZipFile(next(TMP.glob("*.whl"))) as wheel:
            wheel.extractall(TMP / "package")
        os.environ["PYTHONPATH"] = str(TMP / "package")
        os.environ["HEFT_LIBRARY"] = str(LIBRARY)
        PROG, OTHER = TMP / "prog", TMP / "other"
        (TMP / "prog.cc").write_text(PROGRAM)
        (TMP / "other.cc").write_text(PROGRAM.replace("[4096]", "[16384]"))
        for program in (PROG, OTHER):
            said("g++", "-O1", "-g", "-o", program, program.with_suffix(".cc"))
        ran = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
        for case, why in ran.skipped:
            print(f"LEFT OUT: {case.id() if hasattr(case, 'id') else case}: {why}")
        for name, times in TIMES.items():
            middle = sorted(times)[len(times) // 2]
            print(f"{name}: {len(times)} calls, the longest {max(times):.2f} s, half of them within {middle:.3f} s")
        wrong = len(ran.failures) + len(ran.errors)
        print(f"{ran.testsRun - wrong - len(ran.skipped)} passed, {wrong} failed")
    sys.exit(0 if ran.wasSuccessful() and ran.testsRun > 35 else 1)
