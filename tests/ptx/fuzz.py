#!/usr/bin/env python3
"""Random kernels, straight-line and branching, whose registers must equal another GPU's bit for
bit.

    fuzz.py LIBRARY --seeds 0:500 --write FILE      runs them, and writes their results
    fuzz.py LIBRARY --check FILE                    runs the same again, and compares
    fuzz.py LIBRARY --seeds 0:500 --record FILE     writes only a digest of each
    fuzz.py LIBRARY --digests FILE                  runs the kernels of such a file, and compares;
                                                    fuzz.digests has those of an H200

A seed is one kernel of 64 threads on inputs with many edge cases. All NaNs become one NaN before
their bits are used, because GPUs choose those bits. Operations whose results PTX leaves open
(division by zero, approximations) are left out. `--show SEED` prints a kernel."""

import argparse
import hashlib
import random
import struct
import sys

from driver import Driver, DriverError

THREADS = 64
INPUTS = 8
#: Registers of each kind: prefix, number, bytes.
POOLS = {"r": (8, 4), "d": (4, 8), "f": (6, 4), "g": (4, 8), "h": (4, 4)}
#: First seed of kernels with a single step, which show which instruction differs.
SINGLE = 1_000_000
STORED = sum(count * size for count, size in POOLS.values())
EDGES = [
    0,
    1,
    2,
    31,
    32,
    33,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0xFFFFFFFF,
    0x3F800000,
    0xBF800000,
    0x00000001,
    0x807FFFFF,
    0x00800000,
    0x7F7FFFFF,
    0x7F800000,
    0xFF800000,
    0x4F000000,
    0xCF000000,
    0x5F000000,
    0x33800000,
    0x3C003C00,
    0x7C000001,
]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOAT_COMPARE = COMPARE + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
ROUND = ["rn", "rz", "rm", "rp"]


def inputs(seed):
    """Returns the bytes of INPUTS words for each thread."""
    chance = random.Random(f"inputs {seed}")
    words = (
        chance.choice(EDGES) if chance.random() < 0.4 else chance.getrandbits(32)
        for _ in range(THREADS * INPUTS)
    )
    return b"".join(struct.pack("<I", word) for word in words)


class Kernel:
    """The text of one kernel, `fuzz`."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lines, self.labels, self.depth = [], 0, 0
        self.block(1 if seed >= SINGLE else self.chance.randint(30, 70))

    def pick(self, kind):
        return f"%{kind}{self.chance.randrange(POOLS[kind][0])}"

    def say(self, line):
        self.lines.append(f"  {line};")

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def block(self, steps):
        kinds = (
            [self.integer] * 6
            + [self.wide] * 3
            + [self.single] * 4
            + [self.double] * 2
            + [self.half] * 2
            + [self.convert] * 4
        )
        kinds += [self.select] * 2 + [self.shared, self.branch, self.loop]
        if self.depth == 0:
            kinds += [self.warp] * 2
        for _ in range(steps):
            self.chance.choice(kinds)()

    def integer(self):
        c, (a, b, e, to) = self.chance, [self.pick("r") for _ in range(4)]
        sign = c.choice("us")
        self.say(
            c.choice(
                [
                    f"{c.choice(['add', 'sub'])}.{sign}32 {to}, {a}, {b}",
                    f"{c.choice(['add', 'sub'])}.sat.s32 {to}, {a}, {b}",
                    f"mul.{c.choice(['lo', 'hi'])}.{sign}32 {to}, {a}, {b}",
                    f"mad.{c.choice(['lo', 'hi'])}.{sign}32 {to}, {a}, {b}, {e}",
                    f"mul24.lo.{sign}32 {to}, {a}, {b}",
                    f"{c.choice(['and', 'or', 'xor'])}.b32 {to}, {a}, {b}",
                    f"not.b32 {to}, {a}",
                    f"cnot.b32 {to}, {a}",
                    f"lop3.b32 {to}, {a}, {b}, {e}, {c.randrange(256)}",
                    f"shl.b32 {to}, {a}, {b}",
                    f"shr.{sign}32 {to}, {a}, {b}",
                    f"shf.{c.choice('lr')}.{c.choice(['wrap', 'clamp'])}.b32 {to}, {a}, {b}, {e}",
                    f"prmt.b32 {to}, {a}, {b}, {e}",
                    f"prmt.b32.{c.choice(['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'])} {to}, {a}, "
                    f"{b}, {e}",
                    f"bfe.{sign}32 {to}, {a}, {b}, {e}",
                    f"bfi.b32 {to}, {a}, {b}, {e}, {self.pick('r')}",
                    f"popc.b32 {to}, {a}",
                    f"clz.b32 {to}, {a}",
                    f"brev.b32 {to}, {a}",
                    f"bfind.{sign}32 {to}, {a}",
                    f"bfind.shiftamt.{sign}32 {to}, {a}",
                    f"fns.b32 {to}, {a}, {c.randrange(32)}, {c.choice([-3, -1, 0, 1, 2, 5])}",
                    f"{c.choice(['min', 'max'])}.{sign}32 {to}, {a}, {b}",
                    f"abs.s32 {to}, {a}",
                    f"neg.s32 {to}, {a}",
                    f"sad.{sign}32 {to}, {a}, {b}, {e}",
                    f"dp4a.{sign}32.{c.choice('us')}32 {to}, {a}, {b}, {e}",
                    f"dp2a.{c.choice(['lo', 'hi'])}.{sign}32.{c.choice('us')}32 {to}, {a}, {b}, "
                    f"{e}",
                    f"or.b32 %t, {b}, 1; {c.choice(['div', 'rem'])}.u32 {to}, {a}, %t",
                    f"shr.u32 %t, {b}, 1; or.b32 %t, %t, 1; {c.choice(['div', 'rem'])}.s32 {to}, "
                    f"{a}, %t",
                    f"add.cc.u32 %t, {a}, {b}; addc.u32 {to}, {e}, {a}",
                    f"sub.cc.u32 %t, {a}, {b}; subc.u32 {to}, {e}, {a}",
                    f"mad.lo.cc.u32 %t, {a}, {b}, {e}; madc.hi.u32 {to}, {a}, {b}, {e}",
                    f"mul.wide.{sign}16 {to}, %s0, %s1",
                ]
            )
        )

    def wide(self):
        c, (a, b, e, to), r = self.chance, [self.pick("d") for _ in range(4)], self.pick("r")
        sign = c.choice("us")
        self.say(
            c.choice(
                [
                    f"{c.choice(['add', 'sub'])}.{sign}64 {to}, {a}, {b}",
                    f"mul.{c.choice(['lo', 'hi'])}.{sign}64 {to}, {a}, {b}",
                    f"mad.lo.{sign}64 {to}, {a}, {b}, {e}",
                    f"mul.wide.{sign}32 {to}, {r}, {self.pick('r')}",
                    f"mad.wide.{sign}32 {to}, {r}, {self.pick('r')}, {a}",
                    f"{c.choice(['and', 'or', 'xor'])}.b64 {to}, {a}, {b}",
                    f"shl.b64 {to}, {a}, {r}",
                    f"shr.{sign}64 {to}, {a}, {r}",
                    f"bfe.{sign}64 {to}, {a}, {r}, {self.pick('r')}",
                    f"bfi.b64 {to}, {a}, {b}, {r}, {self.pick('r')}",
                    f"popc.b64 {r}, {a}",
                    f"clz.b64 {r}, {a}",
                    f"brev.b64 {to}, {a}",
                    f"bfind.{sign}64 {r}, {a}",
                    f"{c.choice(['min', 'max'])}.{sign}64 {to}, {a}, {b}",
                    f"abs.s64 {to}, {a}",
                    f"neg.s64 {to}, {a}",
                    f"mov.b64 {to}, {{{r}, {self.pick('r')}}}",
                    f"mov.b64 {{{r}, %t}}, {a}",
                    f"or.b64 %u, {b}, 1; {c.choice(['div', 'rem'])}.u64 {to}, {a}, %u",
                    f"shr.u64 %u, {b}, 1; or.b64 %u, %u, 1; {c.choice(['div', 'rem'])}.s64 {to}, "
                    f"{a}, %u",
                ]
            )
        )

    def single(self):
        c, (a, b, e, to) = self.chance, [self.pick("f") for _ in range(4)]
        how = c.choice(ROUND) + c.choice(["", ".ftz"])
        flush = c.choice(["", ".ftz"])
        self.say(
            c.choice(
                [
                    f"{c.choice(['add', 'sub', 'mul'])}.{how}.f32 {to}, {a}, {b}",
                    f"{c.choice(['add', 'sub', 'mul'])}.{how}.sat.f32 {to}, {a}, {b}",
                    f"fma.{how}.f32 {to}, {a}, {b}, {e}",
                    f"fma.{how}.sat.f32 {to}, {a}, {b}, {e}",
                    f"div.{how}.f32 {to}, {a}, {b}",
                    f"sqrt.{how}.f32 {to}, {a}",
                    f"rcp.{how}.f32 {to}, {a}",
                    f"{c.choice(['min', 'max'])}{flush}.f32 {to}, {a}, {b}",
                    f"abs{flush}.f32 {to}, {a}",
                    f"neg{flush}.f32 {to}, {a}",
                    f"setp.nan.f32 %p1, {a}, {a}; selp.f32 {a}, 0f3F800000, {a}, %p1; setp.nan.f32 "
                    f"%p1, {b}, {b}; selp.f32 {b}, 0f3F800000, {b}, %p1; copysign.f32 {to}, {a}, "
                    f"{b}",
                    f"cvt.{c.choice(['rni', 'rzi', 'rmi', 'rpi'])}{flush}.f32.f32 {to}, {a}",
                    f"mov.b32 {to}, {self.pick('r')}",
                ]
            )
        )

    def double(self):
        c, (a, b, e, to), how = (
            self.chance,
            [self.pick("g") for _ in range(4)],
            self.chance.choice(ROUND),
        )
        self.say(
            c.choice(
                [
                    f"{c.choice(['add', 'sub', 'mul'])}.{how}.f64 {to}, {a}, {b}",
                    f"fma.{how}.f64 {to}, {a}, {b}, {e}",
                    f"div.{how}.f64 {to}, {a}, {b}",
                    f"sqrt.{how}.f64 {to}, {a}",
                    f"rcp.{how}.f64 {to}, {a}",
                    f"{c.choice(['min', 'max'])}.f64 {to}, {a}, {b}",
                    f"abs.f64 {to}, {a}",
                    f"neg.f64 {to}, {a}",
                    f"cvt.{c.choice(['rni', 'rzi', 'rmi', 'rpi'])}.f64.f64 {to}, {a}",
                    f"mov.b64 {to}, {self.pick('d')}",
                ]
            )
        )

    def half(self):
        """Writes an operation on pairs of halves, and replaces NaNs at once, because no later test
        detects their patterns."""
        c, (a, b, e, to) = self.chance, [self.pick("h") for _ in range(4)]
        self.say(
            c.choice(
                [
                    f"{c.choice(['add', 'sub', 'mul'])}{c.choice(['', '.rn', '.ftz', '.sat'])}"
                    f".f16x2 {to}, {a}, {b}",
                    f"fma.rn{c.choice(['', '.ftz', '.sat'])}.f16x2 {to}, {a}, {b}, {e}",
                    f"{c.choice(['min', 'max'])}.f16x2 {to}, {a}, {b}",
                    f"neg.f16x2 {to}, {a}",
                    f"abs.f16x2 {to}, {a}",
                    f"mov.b32 {to}, {self.pick('r')}",
                ]
            )
        )
        for i in range(2):
            self.say(
                f"mov.b32 {{%s0, %s1}}, {to}; setp.nan.f16 %p1, %s{i}, %s{i}; selp.b16 %s{i}, "
                f"0x3c00, %s{i}, %p1; mov.b32 {to}, {{%s0, %s1}}"
            )

    def convert(self):
        c = self.chance
        r, d, f, g = (self.pick(k) for k in "rdfg")
        sign, how, whole, flush, sat = (
            c.choice("us"),
            c.choice(ROUND),
            c.choice(["rni", "rzi", "rmi", "rpi"]),
            c.choice(["", ".ftz"]),
            c.choice(["", ".sat"]),
        )
        small = c.choice(["u8", "s8", "u16", "s16"])
        self.say(
            c.choice(
                [
                    f"cvt.{whole}{flush}.{sign}32.f32 {r}, {f}",
                    f"cvt.{whole}{flush}.{sign}64.f32 {d}, {f}",
                    f"cvt.{whole}.{sign}32.f64 {r}, {g}",
                    f"cvt.{whole}.{sign}64.f64 {d}, {g}",
                    f"cvt.{how}{sat}.f32.{sign}32 {f}, {r}",
                    f"cvt.{how}.f32.{sign}64 {f}, {d}",
                    f"cvt.{how}.f64.{sign}64 {g}, {d}",
                    f"cvt.{how}{sat}.f64.{sign}32 {g}, {r}",
                    f"cvt.{how}{flush}{sat}.f32.f64 {f}, {g}",
                    f"cvt{flush}.f64.f32 {g}, {f}",
                    f"cvt.{sign}64.{c.choice('us')}32 {d}, {r}",
                    f"cvt{sat}.{sign}32.{c.choice('us')}64 {r}, {d}",
                    f"cvt{sat}.{small}.{c.choice('us')}32 {r}, {self.pick('r')}",
                    f"cvt.{c.choice('us')}32.{small} {r}, {self.pick('r')}",
                    f"cvt.{whole}{flush}.{c.choice(['u16', 's16'])}.f32 %s0, {f}",
                    f"setp.nan.f32 %p1, {f}, {f}; mov.b32 %t, {f}; selp.b32 {r}, 7, %t, %p1",
                    f"setp.nan.f64 %p1, {g}, {g}; mov.b64 %u, {g}; selp.b64 {d}, 7, %u, %p1",
                    f"setp.nan.f32 %p1, {f}, {f}; selp.f32 {f}, 0f3F800000, {f}, %p1; "
                    f"cvt.{c.choice(['rn', 'rz'])}{sat}.f16.f32 %s0, {f}; mov.b32 "
                    f"{self.pick('h')}, {{%s0, %s0}}",
                    f"mov.b32 {{%s0, %s1}}, {self.pick('h')}; cvt.f32.f16 {f}, %s1",
                    f"mov.b32 {r}, {self.pick('h')}",
                ]
            )
        )

    def condition(self):
        """Sets %p0."""
        c = self.chance
        both = c.choice(["", "", ".and", ".or", ".xor"])
        tail = f", {c.choice(['%p1', '!%p1'])}" if both else ""
        if both:
            self.say(f"setp.{c.choice(COMPARE)}.s32 %p1, {self.pick('r')}, {self.pick('r')}")
        kind = c.choice("rrdfg")
        name = {"r": c.choice("us") + "32", "d": c.choice("us") + "64", "f": "f32", "g": "f64"}[
            kind
        ]
        test = c.choice(FLOAT_COMPARE if kind in "fg" else COMPARE)
        self.say(f"setp.{test}{both}.{name} %p0, {self.pick(kind)}, {self.pick(kind)}{tail}")

    def select(self):
        c = self.chance
        self.condition()
        kind, name = c.choice([("r", "b32"), ("d", "b64"), ("f", "f32"), ("g", "f64")])
        self.say(
            c.choice(
                [
                    f"selp.{name} {self.pick(kind)}, {self.pick(kind)}, {self.pick(kind)}, %p0",
                    f"@{c.choice(['', '!'])}%p0 mov.{name} {self.pick(kind)}, {self.pick(kind)}",
                    f"slct.b32.s32 {self.pick('r')}, {self.pick('r')}, {self.pick('r')}, "
                    f"{self.pick('r')}",
                    f"slct.f32.f32 {self.pick('f')}, {self.pick('f')}, {self.pick('f')}, "
                    f"{self.pick('f')}",
                    f"set.{c.choice(FLOAT_COMPARE)}.u32.f32 {self.pick('r')}, {self.pick('f')}, "
                    f"{self.pick('f')}",
                    f"set.{c.choice(COMPARE)}.f32.s32 {self.pick('f')}, {self.pick('r')}, "
                    f"{self.pick('r')}",
                ]
            )
        )

    def shared(self):
        """Reads the thread's own bytes in other widths than they were written in."""
        c = self.chance
        at = 4 * c.randrange(4)
        self.say(f"st.shared.b32 [%slot+{at}], {self.pick('r')}")
        self.say(
            c.choice(
                [
                    f"ld.shared.{c.choice(['u8', 's8'])} {self.pick('r')}, "
                    f"[%slot+{at + c.randrange(4)}]",
                    f"ld.shared.{c.choice(['u16', 's16'])} {self.pick('r')}, "
                    f"[%slot+{at + 2 * c.randrange(2)}]",
                    f"atom.shared.{c.choice(['add', 'min', 'max', 'inc', 'dec'])}.u32 "
                    f"{self.pick('r')}, [%slot+{at}], {self.pick('r')}",
                    f"atom.shared.cas.b32 {self.pick('r')}, [%slot+{at}], {self.pick('r')}, "
                    f"{self.pick('r')}",
                    f"st.shared.b16 [%slot+{at + 2 * c.randrange(2)}], %s0",
                    f"ld.shared.b32 {self.pick('r')}, [%slot+{at}]",
                ]
            )
        )

    def warp(self):
        """Writes a warp operation, in which all lanes take part."""
        c, a, to = self.chance, self.pick("r"), self.pick("r")
        self.condition()
        self.say(
            c.choice(
                [
                    f"shfl.sync.{c.choice(['up', 'down', 'bfly', 'idx'])}.b32 {to}|%p0, {a}, "
                    f"{c.randrange(32)}, {c.choice(['0x1f', '0', '0x181f', '0x1c03'])}, -1",
                    f"vote.sync.ballot.b32 {to}, %p0, -1",
                    f"vote.sync.{c.choice(['all', 'any', 'uni'])}.pred %p1, %p0, -1; selp.u32 "
                    f"{to}, {a}, 3, %p1",
                    f"and.b32 %t, {a}, 3; match.any.sync.b32 {to}, %t, -1",
                    f"and.b32 %t, {a}, 1; match.all.sync.b32 {to}|%p0, %t, -1",
                ]
            )
        )

    def nested(self):
        self.depth += 1
        self.block(self.chance.randint(2, 8))
        self.depth -= 1

    def branch(self):
        if self.depth > 2:
            return
        other, end = self.label(), self.label()
        self.condition()
        self.say(f"@%p0 bra {other}")
        self.nested()
        self.say(f"bra {end}")
        self.lines.append(f"{other}:")
        if self.chance.random() < 0.6:
            self.nested()
        self.lines.append(f"{end}:")

    def loop(self):
        """Writes a loop whose number of rounds differs from lane to lane."""
        if self.depth > 1:
            return
        begin, counter = self.label(), f"%n{self.depth}"
        self.say(f"and.b32 {counter}, {self.pick('r')}, {self.chance.choice([1, 3, 7])}")
        self.lines.append(f"{begin}:")
        self.nested()
        self.say(f"sub.s32 {counter}, {counter}, 1; setp.ge.s32 %p0, {counter}, 0")
        self.say(f"@%p0 bra {begin}")

    def text(self):
        begin = [
            "mov.u32 %t, %tid.x",
            "mov.u32 %slot, bytes",
            "mad.lo.u32 %slot, %t, 16, %slot",
            "st.shared.v4.b32 [%slot], {%t, %t, %t, %t}",
            "ld.param.u64 %in, [in]",
            f"mad.wide.u32 %in, %t, {4 * INPUTS}, %in",
            "mov.b32 {%s0, %s1}, %t",
            "setp.eq.u32 %p0, %t, 5",
            "setp.ge.u32 %p1, %t, 40",
            "mov.b64 %u, 3",
        ]
        begin += [f"ld.global.b32 %r{i}, [%in+{4 * (i % INPUTS)}]" for i in range(POOLS["r"][0])]
        begin += [
            f"ld.global.b64 %d{i}, [%in+{8 * (i % (INPUTS // 2))}]" for i in range(POOLS["d"][0])
        ]
        begin += [f"mov.b32 %f{i}, %r{i}" for i in range(POOLS["f"][0])] + [
            f"cvt.f64.f32 %g{i}, %f{i}" for i in range(POOLS["g"][0])
        ]
        begin += [f"mov.b32 %h{i}, 0x3c004{i}00" for i in range(POOLS["h"][0])]
        end, at = (
            [
                "ld.param.u64 %in, [out]",
                "mov.u32 %t, %tid.x",
                f"mad.wide.u32 %in, %t, {STORED}, %in",
            ],
            0,
        )
        for kind, (count, size) in sorted(POOLS.items(), key=lambda item: -item[1][1]):
            for i in range(count):
                if kind in "fg":
                    one = "0f7FC00000" if kind == "f" else "0d7FF8000000000000"
                    end.append(
                        f"setp.nan.f{8 * size} %p0, %{kind}{i}, %{kind}{i}; selp.f{8 * size} "
                        f"%{kind}{i}, {one}, %{kind}{i}, %p0"
                    )
                end.append(f"st.global.b{8 * size} [%in+{at}], %{kind}{i}")
                at += size
        declared = [
            f".reg .{name} %{kind}<{count}>"
            for kind, name, count in [
                ("r", "b32", 8),
                ("d", "b64", 4),
                ("f", "f32", 6),
                ("g", "f64", 4),
                ("h", "b32", 4),
                ("s", "b16", 2),
                ("p", "pred", 2),
                ("n", "b32", 3),
            ]
        ]
        declared += [
            ".reg .b32 %t, %slot",
            ".reg .b64 %u, %in",
            f".shared .align 16 .b8 bytes[{16 * THREADS}]",
        ]
        lines = (
            [f"  {line};" for line in declared + begin]
            + self.lines
            + [f"  {line};" for line in end]
        )
        return (
            ".version 7.5\n.target sm_80\n.address_size 64\n\n.visible .entry fuzz(.param .u64 in, "
            ".param .u64 out)\n{\n" + "\n".join(lines) + "\n  ret;\n}\n"
        )


def run(driver, seed):
    function = driver.function(driver.load(Kernel(seed).text()), "fuzz")
    before, after = driver.buffer(inputs(seed)), driver.buffer(bytes(STORED * THREADS))
    driver.launch(function, [1, 1, 1], [THREADS, 1, 1], [before, after])
    found = driver.read(after, STORED * THREADS)
    driver("cuMemFree_v2", before)
    driver("cuMemFree_v2", after)
    return found


def difference(found, wanted):
    """Returns the first register that differs, of the first thread."""
    i = next(i for i in range(len(found)) if found[i] != wanted[i])
    thread, at = divmod(i, STORED)
    for kind, (count, size) in sorted(POOLS.items(), key=lambda item: -item[1][1]):
        if at < count * size:
            begin = i - at % size
            here, there = (
                int.from_bytes(b[begin : begin + size], "little") for b in (found, wanted)
            )
            return f"thread {thread}, %{kind}{at // size}: {here:#x}, elsewhere {there:#x}"
        at -= count * size


def digest(contents):
    return hashlib.sha256(contents).hexdigest()[:8]


def check_digests(library, path):
    driver, failed, count = Driver(library), 0, 0
    with open(path) as file:
        for seed, wanted in (line.split() for line in file if not line.startswith("#")):
            count += 1
            if digest(run(driver, int(seed))) != wanted:
                failed += 1
                print(
                    f"FAILED seed {seed}: not what the recorded GPU computes; `fuzz.py - --show "
                    f"{seed}` prints the kernel"
                )
    print(f"{count - failed} passed, {failed} failed")
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="a libcuda.so.1")
    parser.add_argument("--seeds", default="0:200", help="FIRST:END (0:200)")
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--check", metavar="FILE")
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--digests", metavar="FILE")
    parser.add_argument("--show", type=int, metavar="SEED")
    options = parser.parse_args()
    if options.show is not None:
        return print(Kernel(options.show).text())
    if options.digests:
        return check_digests(options.library, options.digests)
    first, end = map(int, options.seeds.split(":"))
    wanted = None
    if options.check:
        with open(options.check, "rb") as file:
            first, end = struct.unpack("<II", file.read(8))
            wanted = file.read()
        if len(wanted) != (end - first) * STORED * THREADS:
            sys.exit(
                f"{options.check} holds {len(wanted)} bytes of results, not those of {end - first} "
                f"kernels; write it again with --write"
            )
    driver, results, failed = Driver(options.library), [], 0
    for seed in range(first, end):
        try:
            results.append(run(driver, seed))
        except DriverError as error:
            sys.exit(
                f"seed {seed}: {error}; `fuzz.py {options.library} --show {seed}` prints the kernel"
            )
        if wanted:
            at = (seed - first) * STORED * THREADS
            if results[-1] != wanted[at : at + STORED * THREADS]:
                failed += 1
                print(
                    f"FAILED seed {seed}: "
                    f"{difference(results[-1], wanted[at : at + STORED * THREADS])}",
                    flush=True,
                )
    contents = b"".join(results)
    if options.write:
        with open(options.write, "wb") as file:
            file.write(struct.pack("<II", first, end) + contents)
    if options.record:
        with open(options.record, "w") as file:
            file.writelines(f"{first + i} {digest(result)}\n" for i, result in enumerate(results))
    print(
        f"{end - first - failed} passed, {failed} failed; "
        f"{hashlib.sha256(contents).hexdigest()[:16]}"
    )
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
