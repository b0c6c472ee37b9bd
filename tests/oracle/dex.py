"""usage: dex.py HEFT FILE.dex...     compares with dexdump
       dex.py --smali              writes a class for smali"""
import gzip
import os
import re
import subprocess
import sys

PRIMITIVES = dict(V="void", Z="boolean", B="byte", S="short", C="char", I="int", J="long", F="float", D="double")


def types_of(text):
    out = []
    for arrays, kind in re.findall(r"(\[*)([VZBSCIJFD]|L[^;]*;)", text):
        name = PRIMITIVES.get(kind) or kind[1:-1].replace("/", ".")
        out.append(name + "[]" * len(arrays))
    return out


def dexdump(path):
    """{full name: least size}, literals.  Methods of equal code share it."""
    names, literals, code = {}, set(), {}
    owner = name = member = None
    for line in subprocess.run(["dexdump", "-d", path], capture_output=True, text=True, check=True).stdout.split("\n"):
        m = re.match(r"\s*(Class descriptor|name|type|insns size|value) *: '?(.*?)'?$", line)
        text = re.search(r'const-string(?:/jumbo)? v\d+, "(.*)" // string@', line)
        if text:
            literals.add(text[1])
        start = re.match(r"[0-9a-f]+: *\|\[([0-9a-f]+)\]", line)
        if start:
            code.setdefault(start[1], []).append((member, units))
        if not m:
            continue
        if m[1] == "Class descriptor":
            owner = types_of(m[2])[0]
            names[owner] = 32
        elif m[1] == "name":
            name = m[2]
        elif m[1] == "type":
            parameters, _, result = m[2].rpartition(")")
            kind = types_of(result)[0]
            member = "%s#%s" % (owner, name)
            if m[2][0] == "(":
                member += "(%s)" % ",".join(types_of(parameters)) + ("" if name[0] == "<" else ": " + kind)
                names[member] = 8 + 3
            else:
                member += ": " + kind
                names[member] = 8 + 2
        elif m[1] == "insns size":
            units = int(m[2].split()[0])
        elif m[2].startswith('"'):
            literals.add(m[2].strip('"'))
    for sharers in code.values():
        for member, units in sharers:
            names[member] += (16 + 2 * units) // len(sharers)
    return names, literals


def snapshot(heft, path):
    """[(name, size, aliases)]"""
    subprocess.run([heft, "snapshot", path, "-o", path + ".size"], check=True, stderr=subprocess.DEVNULL)
    lines = gzip.open(path + ".size").read().decode().split("\n")
    at = lines.index("}")
    at += int(lines[at + 1]) + 2
    segments = len(lines[at].split("\t"))
    sizes = [int(n) for line in lines[at + 2 + segments:at + 2 + 2 * segments] for n in line.split()]
    names = lines[at + 2 + 3 * segments:]
    out = []
    for size, line in zip(sizes, names):
        name, _, aliases = line.partition("\t")
        out.append((name, size, int(aliases, 16) if aliases else 0))
    return out


def check(heft, path):
    want, literals = dexdump(path)
    got = snapshot(heft, path)
    total = skip = 0
    for _, size, aliases in got:
        total += 0 if skip else size
        skip = aliases - 1 if aliases else max(skip - 1, 0)
    assert total == os.path.getsize(path), (path, total)
    plain = {n: s for n, s, _ in got if n[0] not in '"*'}
    assert set(plain) == set(want), (path, set(plain) ^ set(want))
    small = [(n, plain[n], want[n]) for n in want if plain[n] < want[n]]
    assert not small, (path, small)
    texts = {n[1:-1] for n, _, _ in got if n[0] == '"'}
    assert texts == literals, (path, texts ^ literals)
    print("%s: %d classes and members, %d literals" % (os.path.basename(path), len(want), len(literals)))


def smali():
    print('.class public Lall/Kinds;\n.super Ljava/lang/Object;\n.field static t:Ljava/lang/String; = "of a field"')
    print(".field i:I\n.method public m(ILjava/lang/Object;)V\n.registers 40")
    lines = """move v0, v1|move/from16 v20, v21|move/16 v30, v31|move-wide v0, v2|move-object v0, v1|move-result v0
        const/4 v0, 0x1|const/16 v0, 0x1a|const v0, 0x1a1a1a|const/high16 v0, 0x1a0000|const-wide/16 v0, 0x1a
        const-wide/32 v0, 0x1a001a|const-wide v0, 0x1a001a001a001aL|const-wide/high16 v0, 0x1a000000000000L
        const-class v0, Lall/Kinds;|monitor-enter v0|monitor-exit v0|check-cast v0, Lall/Kinds;
        instance-of v0, v1, Lall/Kinds;|array-length v0, v1|new-instance v0, Lall/Kinds;|new-array v0, v1, [I
        filled-new-array {v0, v1}, [I|filled-new-array/range {v0 .. v9}, [I|goto :end|goto/16 :end|goto/32 :end
        cmp-long v0, v2, v4|if-eq v0, v1, :end|if-eqz v0, :end|aget v0, v1, v2|aput v0, v1, v2|iget v0, v1, Lall/Kinds;->i:I
        iput v0, v1, Lall/Kinds;->i:I|sget-object v0, Lall/Kinds;->t:Ljava/lang/String;
        invoke-virtual {v0, v1, v2}, Lall/Kinds;->m(ILjava/lang/Object;)V|invoke-static/range {v0 .. v3}, Lx/Y;->z(IIII)V
        neg-int v0, v1|add-int v0, v1, v2|add-int/2addr v0, v1|add-int/lit16 v0, v1, 0x1a|add-int/lit8 v0, v1, 0x1a
        packed-switch v0, :packed|sparse-switch v0, :sparse|fill-array-data v0, :array|throw v0|nop"""
    for i, line in enumerate(l.strip() for part in lines.split("\n") for l in part.split("|")):
        print('%s\nconst-string%s v0, "behind %d"' % (line, "/jumbo" if i % 2 else "", i))
    print(":end\nreturn-void\n:packed\n.packed-switch 0x1a\n:end\n:end\n.end packed-switch")
    print(":sparse\n.sparse-switch\n0x1a -> :end\n0x1b -> :end\n.end sparse-switch")
    print(":array\n.array-data 1\n0x1at 0x1at 0x1at\n.end array-data\n.end method")


if sys.argv[1] == "--smali":
    smali()
else:
    for path in sys.argv[2:]:
        check(sys.argv[1], path)
