"""heft-mcp: heft for agents, by the Model Context Protocol over standard input and output.

    heft-mcp                     as a client starts it
    python3 -m heft.mcp          the same

Messages are JSON-RPC 2.0, one a line. The server speaks the revisions of VERSIONS. It has tools and nothing else.

Two processes share the work. This one reads and writes messages. A worker answers one question after the other with
libheft and keeps files open between them. So a ping is answered at once, a question can be cancelled, and a file that
ends the worker does not end the server: the server says so and starts a new worker.
"""
from __future__ import annotations

import collections
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from typing import Any, Dict, List, Optional

import heft
from heft import mcp_answers

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
BATCHES = ("2025-03-26", "2024-11-05")      # Revisions in which a message may be a list of messages.
STRUCTURED = "2025-06-18"                   # Structured content, output schemas and titles are there since.
ANNOTATED = "2025-03-26"                    # Annotations of tools are there since.
MESSAGE = 4 << 20       # Bytes of a message. A longer one is refused.
SECONDS = 600           # Time of a question. A longer one ends the worker.
GRACE = 5               # Seconds in which a worker has to stop after it was cancelled. After that it is ended.
PROGRESS = 0.25         # Least seconds between two notifications of progress.
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602

INSTRUCTIONS = """heft accounts for every byte of native programs (ELF, Mach-O, PE, WebAssembly) and of heaps in core dumps.
Begin with info for an unknown file. size: where the bytes go. diff: why a build grew. where: what is at an address.
heap: who holds memory. query: SQL over symbols. Sizes are bytes. Each answer has at most 16,000 bytes, says what it leaves out,
and has a cursor for the rest. Files are only read. The first question about a large file takes seconds, later ones less."""


# ---- the worker -----------------------------------------------------------------------------------


class Worker:
    """The process that calls libheft. It reads a question a line from a socket and writes its result as a line."""

    def __init__(self, link: socket.socket, server: int) -> None:
        self._link, self._server = link, server
        self._cancelled, self._told, self._ahead, self._tells = False, 0.0, 0, False
        signal.signal(signal.SIGUSR1, self._cancel)
        signal.siginterrupt(signal.SIGUSR1, False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _cancel(self, *_: Any) -> None:
        self._cancelled = True

    def _write(self, made: dict) -> None:
        self._link.sendall(json.dumps(made).encode() + b"\n")

    def progress(self, what: str, done: int, total: int) -> bool:
        """Tells the server how far a call is. False cancels the call."""
        if self._cancelled or os.getppid() != self._server:
            return False
        self._ahead += 1
        if self._tells and time.monotonic() - self._told >= PROGRESS:
            self._told = time.monotonic()
            part = f": {100 * done // total} %" if total else ""
            self._write({"progress": self._ahead, "message": f"{what}{part}"})
        return True

    def answer_all(self) -> None:
        """Answers questions until the server closes the socket."""
        tools, kept = mcp_answers.tools(), mcp_answers.Kept(self.progress)
        for line in self._link.makefile("rb"):
            asked = json.loads(line)
            self._cancelled, self._tells, self._ahead = False, asked["progress"], 0
            self._write({"began": True})
            try:
                made = mcp_answers.result(kept, asked["name"], tools[asked["name"]], asked["arguments"])
            except Exception as error:  # pylint: disable=broad-except
                traceback.print_exc()
                made = mcp_answers.failure(f"a fault of heft-mcp: {type(error).__name__}: {error}")
            self._write({"result": made})


# ---- the server -----------------------------------------------------------------------------------


class Batch:
    """Requests that came in one list: their responses go back in one list."""

    def __init__(self) -> None:
        self.waiting, self.responses = 0, []  # type: int, List[dict]


class Call:
    """A call of a tool that waits or is being answered."""

    def __init__(self, number: Any, params: dict, batch: Optional[Batch]) -> None:
        self.number, self.batch, self.name = number, batch, params["name"]
        self.arguments = params.get("arguments") or {}
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        self.cancelled, self.began, self.ends_at = False, False, 0.0


class RequestError(Exception):
    """A request that is answered by an error: a code and a text."""


class Server:
    """Reads messages, answers what needs no file, and hands the calls of tools to the worker one by one."""

    def __init__(self) -> None:
        self._version = VERSIONS[0]
        self._tools = mcp_answers.tools()
        self._calls: collections.deque = collections.deque()
        self._now: Optional[Call] = None
        self._selector = selectors.DefaultSelector()
        self._input, self._skipping = b"", False
        self._worker_start()

    # ---- the worker, as the server sees it ----

    def _worker_start(self) -> None:
        ours, theirs = socket.socketpair()
        server = os.getpid()
        sys.stdout.flush()
        self._worker = os.fork()
        if not self._worker:
            status = 1
            try:
                ours.close()
                null = os.open(os.devnull, os.O_RDWR)
                os.dup2(null, 0)
                os.dup2(2, 1)       # Nothing but messages gets to the client.
                Worker(theirs, server).answer_all()
                status = 0
            except OSError:
                status = 0          # The server is gone.
            except BaseException:   # pylint: disable=broad-except
                traceback.print_exc()
            finally:
                os._exit(status)    # pylint: disable=protected-access
        theirs.close()
        self._link, self._heard = ours, b""
        self._selector.register(ours, selectors.EVENT_READ)

    def _worker_read(self) -> None:
        try:
            data = self._link.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self._worker_ended()
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            said, call = json.loads(line), self._now
            assert call is not None
            if "began" in said:
                call.began = True
            elif "progress" in said:
                if call.token is not None and not call.cancelled:
                    self._write({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                        "progressToken": call.token, "progress": said["progress"],
                        **({"message": said["message"]} if self._version >= ANNOTATED else {})}})
            else:
                self._call_ended(said["result"])

    def _worker_ended(self) -> None:
        """The worker is gone: the call that it worked on has failed, and a new worker takes the next."""
        self._selector.unregister(self._link)
        self._link.close()
        _, status = os.waitpid(self._worker, 0)
        self._worker_start()
        if self._now and not self._now.began and not self._now.cancelled:
            self._calls.appendleft(self._now)       # The worker ended before it got the call.
            self._now = None
            self._call_next()
        elif self._now:
            late = time.monotonic() >= self._now.ends_at
            why = (f"the question took longer than {SECONDS} seconds; ask a narrower one" if late else
                   f"heft ended with {_ending(status)} at this question, which is a fault of heft; the server goes on, and other "
                   "files can be asked about")
            self._call_ended(mcp_answers.failure(why))

    def _call_ended(self, made: dict) -> None:
        call, self._now = self._now, None
        assert call is not None
        if self._version < STRUCTURED:
            made.pop("structuredContent", None)
        self._respond(call.batch, None if call.cancelled else {"jsonrpc": "2.0", "id": call.number, "result": made})
        self._call_next()

    def _call_next(self) -> None:
        if self._now or not self._calls:
            return
        self._now = call = self._calls.popleft()
        call.ends_at = time.monotonic() + SECONDS
        asked = {"name": call.name, "arguments": call.arguments, "progress": call.token is not None}
        try:
            self._link.sendall(json.dumps(asked).encode() + b"\n")
        except OSError:
            pass        # The worker has ended between two questions; its end is read next.

    def _call_cancel(self, number: Any) -> None:
        """Ends a call that waits or is being answered. There is no response to it."""
        if self._now and self._now.number == number and type(self._now.number) is type(number):
            self._now.cancelled = True
            self._now.ends_at = time.monotonic() + GRACE
            os.kill(self._worker, signal.SIGUSR1)
        for call in [call for call in self._calls if call.number == number and type(call.number) is type(number)]:
            self._calls.remove(call)
            self._respond(call.batch, None)

    # ---- messages ----

    def _write(self, message: Any) -> None:
        data = mcp_answers.encoded(message) + b"\n"
        while data:
            data = data[os.write(1, data):]

    def _respond(self, batch: Optional[Batch], response: Optional[dict]) -> None:
        if batch is None:
            if response is not None:
                self._write(response)
            return
        batch.waiting -= 1
        if response is not None:
            batch.responses.append(response)
        if not batch.waiting and batch.responses:
            self._write(batch.responses)

    def _line_read(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = json.loads(line.decode("utf-8"), parse_constant=_not_json)
        except (ValueError, RecursionError) as error:
            self._write(_error(None, PARSE_ERROR, f"the line is no JSON: {error}"))
            return
        if not isinstance(message, list):
            self._message(message, None)
        elif self._version not in BATCHES or not message:
            self._write(_error(None, INVALID_REQUEST, "the message is a list: send one message a line"))
        else:
            batch = Batch()
            batch.waiting = len(message) + 1
            for part in message:
                self._message(part, batch)
            self._respond(batch, None)

    def _message(self, message: Any, batch: Optional[Batch]) -> None:
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, bool) or not isinstance(number, (str, int)):
            number = None
        method = message.get("method") if isinstance(message, dict) else None
        response: Optional[dict] = None
        try:
            if not isinstance(method, str) or message.get("jsonrpc") != "2.0":
                if isinstance(message, dict) and ("result" in message or "error" in message):
                    self._respond(batch, None)      # A response; the server asks nothing.
                    return
                raise RequestError(INVALID_REQUEST, "the message is no request of JSON-RPC 2.0")
            if "id" not in message:
                self._notified(method, message.get("params"))
            elif number is None:
                raise RequestError(INVALID_REQUEST, "id is neither a string nor an integer")
            elif method == "tools/call":
                self._calls.append(Call(number, self._call_checked(message.get("params")), batch))
                self._call_next()
                return
            else:
                response = {"jsonrpc": "2.0", "id": number, "result": self._answer(method, message.get("params") or {})}
        except RequestError as error:
            response = _error(number, *error.args)
        self._respond(batch, response)

    def _notified(self, method: str, params: Any) -> None:
        """Notifications have no response. Those that are unknown or malformed are ignored."""
        if method == "notifications/cancelled" and isinstance(params, dict):
            self._call_cancel(params.get("requestId"))

    def _answer(self, method: str, params: Any) -> dict:
        if not isinstance(params, dict):
            raise RequestError(INVALID_PARAMS, "params is no object")
        if method == "ping":
            return {}
        if method == "initialize":
            return self._initialize(params)
        if method == "tools/list":
            if params.get("cursor") is not None:
                raise RequestError(INVALID_PARAMS, "there is no such cursor: the list of tools has one page")
            return {"tools": [self._described(name, tool) for name, tool in self._tools.items()]}
        raise RequestError(METHOD_NOT_FOUND, f"there is no method '{method[:80]}'; this server has tools and nothing else")

    def _initialize(self, params: dict) -> dict:
        version = params.get("protocolVersion")
        if not isinstance(version, str):
            raise RequestError(INVALID_PARAMS, "protocolVersion is missing")
        self._version = version if version in VERSIONS else VERSIONS[0]
        about = {"name": "heft", "version": heft.version()}
        if self._version >= STRUCTURED:
            about["title"] = "heft: where every byte of a native program goes"
        return {"protocolVersion": self._version, "capabilities": {"tools": {"listChanged": False}}, "serverInfo": about,
                "instructions": INSTRUCTIONS}

    def _described(self, name: str, tool: mcp_answers.Tool) -> dict:
        made: Dict[str, Any] = {"name": name, "description": tool.description, "inputSchema": tool.schema()}
        if self._version >= ANNOTATED:
            made["annotations"] = {"title": tool.title, "readOnlyHint": True, "openWorldHint": False}
        if self._version >= STRUCTURED:
            made["title"] = tool.title
            made["outputSchema"] = mcp_answers.OUTPUT
        return made

    def _call_checked(self, params: Any) -> dict:
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            raise RequestError(INVALID_PARAMS, "params.name is missing: the name of a tool")
        if params["name"] not in self._tools:
            raise RequestError(INVALID_PARAMS, f"there is no tool '{params['name'][:80]}'; there are {', '.join(self._tools)}")
        if not isinstance(params.get("arguments") or {}, dict):
            raise RequestError(INVALID_PARAMS, "params.arguments is no object")
        return params

    # ---- the loop ----

    def _input_read(self) -> bool:
        """Reads what the client sent. False at the end."""
        data = os.read(0, 1 << 16)
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False      # The end of a line that was refused.
            else:
                self._line_read(line)
        if len(self._input) > MESSAGE:
            if not self._skipping:
                self._write(_error(None, INVALID_REQUEST, f"the message has more than {MESSAGE:,} bytes"))
            self._input, self._skipping = b"", True
        if not data and self._input and not self._skipping:
            self._line_read(self._input)
        return bool(data)

    def serve(self) -> None:
        """Answers until the client closes standard input and all its calls are answered."""
        self._selector.register(0, selectors.EVENT_READ)
        is_open = True
        while is_open or self._now:
            left = max(self._now.ends_at - time.monotonic(), 0) if self._now else None
            for key, _ in self._selector.select(left):
                if key.fd == 0:
                    is_open = self._input_read()
                    if not is_open:
                        self._selector.unregister(0)
                elif key.fileobj is self._link:
                    self._worker_read()
            if self._now and time.monotonic() >= self._now.ends_at:
                os.kill(self._worker, signal.SIGKILL)   # Its end is read next.


def _not_json(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _error(number: Any, code: int, text: str) -> dict:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"status {os.WEXITSTATUS(status)}"


def main() -> None:
    """Serves a client on standard input and output."""
    if sys.argv[1:] == ["--version"]:
        print(f"heft-mcp {heft.version()}")
        return
    if len(sys.argv) > 1:
        print("usage: heft-mcp\n\nAnswers questions of agents about native programs and heaps, by the Model Context Protocol\n"
              f"({', '.join(VERSIONS)}) over standard input and output. docs/agents.md tells how a client starts it.")
        sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)
    try:
        Server().serve()
    except ImportError as error:
        sys.exit(f"heft-mcp: {error}")
    except BrokenPipeError:
        os._exit(0)     # The client is gone.  pylint: disable=protected-access
    except KeyboardInterrupt:
        os._exit(130)   # pylint: disable=protected-access


if __name__ == "__main__":
    main()
