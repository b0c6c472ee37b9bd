#!/usr/bin/env python3
"""Makes heft/_abi.py, what ctypes has to know of libheft, from the headers; and the wheel (PEP 517).

usage: build.py abi INCLUDE OUTPUT      writes what ctypes has to know
       build.py check INCLUDE           writes a C program that prints the same as `build.py facts`
       build.py facts INCLUDE           sizes, offsets and constants, a line each
       build.py wheel OUTPUT            writes the wheel into a folder
"""
import base64
import ctypes
import hashlib
import os
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
BASIC = {"bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "double": "c_double",
         "size_t": "c_size_t", "int64_t": "c_int64", "uint64_t": "c_uint64", "uint32_t": "c_uint32", "void": "None"}
NUMBERS = {"UINT64_MAX": 2**64 - 1, "UINT32_MAX": 2**32 - 1, "SIZE_MAX": ctypes.c_size_t(-1).value}


class Headers:
    """The declarations of heft.h and its parts, in their order."""

    def __init__(self, include):
        self.constants, self.structs, self.functions, self.callbacks = {}, {}, {}, {}
        text = (include / "heft.h").read_text()
        text += "".join((include / part).read_text() for part in re.findall(r'(?m)^#include "(heft/.*)"', text))
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
        text = text.replace("\\\n", " ")
        for name, value in re.findall(r"(?m)^#define (HEFT_\w+) +(\S+)$", text):
            if value.isdecimal() or value in NUMBERS:
                self.constants[name] = int(NUMBERS.get(value, value))
        text = re.sub(r"(?m)^#.*$", "", text)
        self.version = ".".join(str(self.constants[f"HEFT_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH"))
        for declaration in re.findall(r"(?:[^{};]|\{[^{}]*\})+;", text):
            self.declaration_read(" ".join(declaration[:-1].split()))

    def declaration_read(self, text):
        if found := re.fullmatch(r"enum (\w+) \{(.*)\}", text):
            self.enum_read(found[2])
        elif found := re.fullmatch(r"struct (\w+) \{(.*)\}", text):
            self.structs[found[1]] = [member for line in found[2].split(";") if line.strip()
                                      for member in members_read(line.strip())]
        elif found := re.fullmatch(r"typedef (.*?)\(?\*(\w+)\)\((.*)\)", text):
            self.callbacks[found[2]] = (found[1], found[3])
        elif found := re.fullmatch(r"HEFT_API (.*?)(\w+)\((.*)\)", text):
            self.functions[found[2]] = (found[1], found[3])
        elif not re.fullmatch(r"struct \w+", text):
            sys.exit(f"build.py: a declaration of another form: {text}")

    def enum_read(self, text):
        next_value = 0
        for item in filter(None, (item.strip() for item in text.split(","))):
            name, _, value = (part.strip() for part in item.partition("="))
            if value:
                shift = re.fullmatch(r"(\d+)(?: << (\d+))?", value)
                next_value = int(shift[1]) << int(shift[2] or 0)
            self.constants[name] = next_value
            next_value += 1

    def type_of(self, text, pointed=False):
        """The type of ctypes for a type of C."""
        text = re.sub(r"\b(const|enum heft_\w+)\b", lambda f: "int" if f[1] != "const" else "", text).strip()
        if text.endswith("*"):
            inner = text[:-1].strip()
            if inner == "char" and "const" in self.asked:
                return "c_char_p"
            if inner in ("void", "char", "FILE") or (inner.startswith("struct") and inner.split()[1] not in self.structs):
                return "c_void_p"
            return f"POINTER({self.type_of(inner)})"
        word = text.removeprefix("struct ")
        return BASIC.get(word) or (word if word in self.structs or word in self.callbacks else sys.exit(
            f"build.py: no type of ctypes for {text}"))

    def ctype(self, text):
        self.asked = text
        return self.type_of(text)

    def parameters(self, text):
        if text == "void":
            return []
        return [self.ctype(re.sub(r"\w+$", "", re.sub(r"\w+\[\]$", "*", part.strip())) or part) for part in split(text)]

    def callback(self, result, parameters):
        return f"CFUNCTYPE({', '.join([self.ctype(result), *self.parameters(parameters)])})"

    def member(self, kind, shape):
        """The type of a member: SHAPE is the parameters of a function, the length of an array, or None."""
        if isinstance(shape, str):
            return self.callback(kind, shape)
        return self.ctype(kind) + (f" * {shape}" if shape else "")


def split(text):
    """Parameters of a function: those of a function among them stay whole."""
    return re.findall(r"(?:[^,()]|\([^()]*\))+", text)


def members_read(text):
    """(name, type, shape) of each member that a line declares."""
    if found := re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", text):
        return [(found[2], found[1].strip(), found[3])]
    first, *more = (part.strip() for part in text.split(","))
    kind, stars, name, length = re.fullmatch(r"(.*?[\w ])((?:\*(?:const )?|\s)*)\b(\w+)(?:\[(\d+)\])?", first).groups()
    made = [(name, f"{kind.strip()} {stars.strip()}".strip(), int(length) if length else None)]
    for other in more:
        stars, name = re.fullmatch(r"(\**)(\w+)", other).groups()
        made.append((name, f"{kind.strip()} {stars}".strip(), None))
    return made


def abi_text(headers):
    lines = ["# Made by build.py from heft.h.", "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, "
             "c_char_p, c_double, c_int, c_int64, c_size_t,", "                    c_uint, c_uint32, c_uint64, c_void_p)", "",
             f'VERSION = "{headers.version}"']
    lines += [f"{name} = {value}" for name, value in headers.constants.items()]
    lines += [f"class {name}(Structure):\n    pass" for name in headers.structs]
    lines += [f"{name} = {headers.callback(*kind)}" for name, kind in headers.callbacks.items()]
    for name, members in headers.structs.items():
        lines.append(f"{name}._fields_ = [")
        lines += [f'    ("{member}", {headers.member(kind, shape)}),' for member, kind, shape in members]
        lines.append("]")
    lines.append("FUNCTIONS = {")
    for name, (result, parameters) in headers.functions.items():
        lines.append(f'    "{name}": ({headers.ctype(result)}, [{", ".join(headers.parameters(parameters))}]),')
    lines.append("}")
    return "\n".join(lines) + "\n"


def facts(headers):
    """What the compiler has to agree with, as ctypes sees it."""
    made = {}
    exec(abi_text(headers), made)  # pylint: disable=exec-used
    for name, members in headers.structs.items():
        yield f"struct {name} {ctypes.sizeof(made[name])}"
        for member, _, _ in members:
            field = getattr(made[name], member)
            yield f"{name}.{member} {field.offset} {field.size}"
    for name, value in headers.constants.items():
        yield f"{name} {value}"


def check_text(headers):
    """A program of C that prints the lines of facts()."""
    lines = ["#include <heft.h>", "#define SIZE(s) printf(\"struct \" #s \" %zu\\n\", sizeof(struct s))",
             "#define MEMBER(s, m) printf(#s \".\" #m \" %zu %zu\\n\", offsetof(struct s, m), sizeof(((struct s *)0)->m))",
             "#define VALUE(n) printf(#n \" %llu\\n\", (unsigned long long)(n))", "int main(void)", "{"]
    for name, members in headers.structs.items():
        lines.append(f"\tSIZE({name});")
        lines += [f"\tMEMBER({name}, {member});" for member, _, _ in members]
    lines += [f"\tVALUE({name});" for name in headers.constants]
    return "\n".join([*lines, "\treturn 0;", "}"]) + "\n"


# ---- the wheel (PEP 427, PEP 517) -----------------------------------------------------------------


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """Writes heft-VERSION-py3-none-any.whl; returns its name.  The same sources give the same bytes."""
    headers = Headers(INCLUDE)
    name = f"heft-{headers.version}"
    files = {f"heft/{path.name}": path.read_bytes() for path in sorted((HERE / "heft").iterdir())
             if path.suffix in (".py", ".typed") and path.name != "_abi.py"}
    files["heft/_abi.py"] = abi_text(headers).encode()
    about = f"{name}.dist-info"
    files[f"{about}/METADATA"] = (f"Metadata-Version: 2.1\nName: heft\nVersion: {headers.version}\n"
                                  "Summary: where every byte of a native program goes\nLicense: Apache-2.0\n"
                                  "Requires-Python: >=3.9\n").encode()
    files[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: heft\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{about}/entry_points.txt"] = b"[console_scripts]\nheft-mcp = heft.mcp:main\n"
    record = "".join(f"{path},sha256={hashed(data)},{len(data)}\n" for path, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def hashed(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main():
    does = {"abi": (3, lambda include, output: pathlib.Path(output).write_text(abi_text(Headers(include)))),
            "check": (2, lambda include: sys.stdout.write(check_text(Headers(include)))),
            "facts": (2, lambda include: sys.stdout.writelines(f"{line}\n" for line in facts(Headers(include)))),
            "wheel": (2, lambda output: print(build_wheel(output)))}
    words = sys.argv[1:]
    if not words or words[0] not in does or len(words) != does[words[0]][0]:
        sys.exit(__doc__)
    does[words[0]][1](*(pathlib.Path(word) for word in words[1:]))


if __name__ == "__main__":
    main()
