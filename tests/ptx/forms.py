#!/usr/bin/env python3
"""Checks every form of every instruction in spec/ptx.txt with NVIDIA's assembler: PTX must have all
that the software GPU's table has.

    forms.py PTXAS

Each form is written with each of its types, each of its modifiers once, and each operand. Parts
that the compiler's code handles itself (`...`) are left out."""

import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {
    "pred",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "u8",
    "u16",
    "u32",
    "u64",
    "s8",
    "s16",
    "s32",
    "s64",
    "f16",
    "f32",
    "f64",
    "bf16",
    "f16x2",
    "bf16x2",
}
BITS = {"pred": 1, "bf16": 16, "f16x2": 32, "bf16x2": 32}
#: A target new enough for every form.
TARGET = "sm_100"


class Form:
    def __init__(self, line, names, number):
        head, _, rest = line.partition(" :")
        words = head.split()
        self.number, self.name, self.choices, self.types = number, words[0], [], []
        self.operands = rest.partition(" :")[0].split()
        self.open = "..." in words[1:] or "..." in self.operands
        expand = lambda text: [one for word in text.split("|") for one in names.get(word, [word])]
        for word in words[1:]:
            if word.startswith("."):
                self.types.append(expand(word[1:]))
            elif word not in ("...", "hints"):
                self.choices.append((word.startswith("!"), expand(word.lstrip("!"))))

    def opcodes(self):
        """Yields the form with each word of each choice once, together with the first word of
        required choices, and with each combination of types."""
        least = [words[0] if required else None for required, words in self.choices]
        picks = [least] + [
            least[:i] + [word] + least[i + 1 :]
            for i, (_, words) in enumerate(self.choices)
            for word in words
        ]
        for types in itertools.product(*self.types):
            for pick in (
                picks
                if types == tuple(kinds[0] for kinds in self.types) or len(picks) < 12
                else picks[:1]
            ):
                yield [word for word in pick if word], types

    def statement(self, words, types):
        """Returns one instruction with its operands, or None if the assembler needs operands that
        the table cannot express."""
        lanes = next((int(word[1]) for word in words if word in ("v2", "v4", "v8")), 1)
        too_wide = (
            lanes > 1
            and types
            and lanes * int(re.sub(r"\D", "", types[-1]) or 0)
            > (256 if lanes == 8 or "nc" not in words else 128)
        )
        if self.name == "brx" or too_wide or lanes > 1 and "b128" in types:
            return None
        operands = []
        for operand in self.operands:
            written, text = operand.startswith("="), operand.lstrip("=").removesuffix("?")
            base, _, beside = text.partition("|")
            if operand.endswith("?") and not beside and base != "pred":
                continue
            if (
                base == "pred"
                and operand.endswith("?")
                and not written
                and not set(words) & {"and", "or", "xor"}
            ):
                continue
            kind = types[int(base[0])] if base[0].isdigit() else base
            if base.endswith("w"):
                kind = {16: "b32", 32: "b64"}.get(int(re.sub(r"\D", "", kind) or 0), "b128")
            place = (
                {
                    "#": "7" if self.name in ("lop3", "pmevent") else "128",
                    "[]": "[%addr]",
                    "label": "NEXT",
                    "any": None,
                    "list": None,
                }.get(kind, "")
                if kind not in TYPES
                else self.register(kind, written)
            )
            if place is None:
                return None
            if lanes > 1 and written | (base == "0"):
                place = (
                    "{" + ", ".join([place] * lanes) + "}"
                    if not written
                    else "{" + ", ".join(place[:-1] + str(i) for i in range(lanes)) + "}"
                )
            operands.append(place + ("|%p1" if beside else ""))
        return f"{'.'.join([self.name, *words, *types])} {', '.join(operands)};"

    @staticmethod
    def register(kind, written):
        bits = BITS.get(kind) or int(kind[1:])
        name = {"f32": "f", "f64": "g", "pred": "p"}.get(kind) or {
            16: "h",
            32: "r",
            64: "d",
            128: "q",
        }[max(bits, 16)]
        return f"%{name}{0 if written else 9}"


def forms():
    names, found = {}, []
    for number, line in enumerate((ROOT / "spec/ptx.txt").read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if " = " in line:
            name, words = line.split(" = ")
            names[name] = [one for word in words.split("|") for one in names.get(word, [word])]
        else:
            found.append(Form(line, names, number))
    return found


# PTX has modifiers before the types at the end of an opcode, in its own order. That is the order of
# the table, with these exceptions.
def ordered(statement):
    statement = re.sub(
        r"^(suld|sust)(\S*?)\.(trap|clamp|zero)(\.v[24])?(\.b\d+)", r"\1\2\4\5.\3", statement
    )
    statement = re.sub(
        r"^(vset[24])\.(\w+)(?:\.(add))?\.([us]32)\.([us]32) ",
        lambda m: f"{m[1]}.{m[4]}.{m[5]}.{m[2]}{'.add' if m[3] else ''} ",
        statement,
    )
    statement = re.sub(
        r"^(v\w+[24])\.(sat|add)\.([us]32\.[us]32\.[us]32) ", r"\1.\3.\2 ", statement
    )
    statement = re.sub(r"^cvt\.(\w+)\.(.*)tf32\.f32", r"cvt.\1.\2tf32.f32", statement)
    return statement


def clamps(statement):
    """Returns whether `.sat` can clamp. The assembler refuses it if one type has all values of the
    other."""
    match = re.match(r"cvt\.sat\.([us])(\d+)\.([us])(\d+) ", statement)
    if not match:
        return True
    to, bits, source, own = match[1], int(match[2]), match[3], int(match[4])
    return bits < own or to != source and not (to == "s" and bits > own)


def complaints(ptxas, statements):
    """Returns the assembler's complaints, by the number of the statement."""
    head = (
        f".version 9.0\n.target {TARGET}\n.address_size 64\n.visible .entry k()\n{{\n"
        ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>; "
        ".reg .b128 %q<16>; .reg .f32 %f<16>; .reg .f64 %g<16>; .reg .b64 %addr;\nNEXT:\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "forms.ptx"
        path.write_text(head + "\n".join(statements) + "\nret;\n}\n")
        said = subprocess.run(
            [ptxas, f"-arch={TARGET}", str(path), "-o", "/dev/null"], capture_output=True, text=True
        ).stderr
    first, found = head.count("\n") + 1, {}
    for line, text in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", said):
        found.setdefault(int(line) - first, text)
    if not found and "fatal" in said:
        sys.exit(said)
    return found


def main():
    ptxas = sys.argv[1]
    cases = {}
    for form in forms():
        if not form.open:
            for words, types in form.opcodes():
                statement = form.statement(words, types)
                if statement and clamps(statement):
                    cases.setdefault(ordered(statement), form.number)
    statements = list(cases)
    failed = complaints(ptxas, statements)
    for place, text in sorted(failed.items()):
        print(
            f"spec/ptx.txt:{cases[statements[place]] if 0 <= place < len(statements) else '?'}: "
            f"{statements[place] if 0 <= place < len(statements) else ''} {text}"
        )
    print(
        f"forms.py: {len(statements) - len(failed)} of {len(statements)} instructions are the "
        f"assembler's too"
    )
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
