"""Writes the outlines of the letters that pictures are drawn with (crates/report/src/chart/letters.txt).

Usage: python3 tools/letters.py DejaVuSans.ttf > crates/report/src/chart/letters.txt

A line is a letter, its advance and its outline as SVG path data, in thousandths of the font size, y downward.
"""

import struct
import sys

SIGNS = "‐‑–—‘’“”„†•…′″⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉€←↑→↓↔∂∆∑−√∞∫≈≠≤≥⊥⋅○●□■△▲◇◆✓"
RANGES = [(0x20, 0x7F), (0xA1, 0x180), (0x300, 0x309), (0x391, 0x3CA)]
LETTERS = sorted({chr(code) for a, b in RANGES for code in range(a, b)} | set(SIGNS))

data = open(sys.argv[1], "rb").read()
tables = {}
for k in range(struct.unpack(">H", data[4:6])[0]):
    tag, _, offset, _ = struct.unpack(">4sIII", data[12 + 16 * k : 28 + 16 * k])
    tables[tag.decode()] = offset


def read(form, at):
    return struct.unpack(">" + form, data[at : at + struct.calcsize(">" + form)])


EM = read("H", tables["head"] + 18)[0]
LONG = read("h", tables["head"] + 50)[0]
METRICS = read("H", tables["hhea"] + 34)[0]


def character_map():
    at = tables["cmap"]
    for k in range(read("H", at + 2)[0]):
        start = at + read("I", at + 8 + 8 * k)[0]
        if read("H", start)[0] == 12:
            groups = (read("III", start + 16 + 12 * g) for g in range(read("I", start + 12)[0]))
            return {code: glyph + code - first for first, last, glyph in groups for code in range(first, last + 1)}
    raise SystemExit("no character map of format 12")


def contours(glyph):
    """Lists of points (x, y, on the curve)."""
    width = 4 if LONG else 2
    start, end = (v * (1 if LONG else 2) for v in read("II" if LONG else "HH", tables["loca"] + width * glyph))
    if start == end:
        return []
    at = tables["glyf"] + start
    count = read("h", at)[0]
    at += 10
    if count < 0:
        return composite(at)
    ends = read(f"{count}H", at)
    at += 2 * count
    at += 2 + read("H", at)[0]
    flags = []
    while len(flags) <= ends[-1]:
        flag = data[at]
        at += 1
        flags.append(flag)
        if flag & 8:
            flags += [flag] * data[at]
            at += 1
    axes = []
    for short, same in ((2, 16), (4, 32)):
        value, values = 0, []
        for flag in flags:
            if flag & short:
                value += data[at] if flag & same else -data[at]
                at += 1
            elif not flag & same:
                value += read("h", at)[0]
                at += 2
            values.append(value)
        axes.append(values)
    points = [(x, y, flag & 1) for x, y, flag in zip(*axes, flags)]
    return [points[a:b] for a, b in zip([0, *(e + 1 for e in ends)], (e + 1 for e in ends))]


def composite(at):
    every, more = [], True
    while more:
        flags, glyph = read("HH", at)
        at += 4
        dx, dy = read("hh" if flags & 1 else "bb", at)
        at += 4 if flags & 1 else 2
        a, b, c, d = 1, 0, 0, 1
        for bit, form in ((8, "h"), (64, "hh"), (128, "hhhh")):
            if flags & bit:
                v = [x / 16384 for x in read(form, at)]
                at += 2 * len(form)
                a, b, c, d = (v[0], 0, 0, v[0]) if bit == 8 else (v[0], 0, 0, v[1]) if bit == 64 else v
        part = contours(glyph)
        every += [[(a * x + c * y + dx, b * x + d * y + dy, on) for x, y, on in points] for points in part]
        more = flags & 32
    return every


def outline(glyph):
    place = lambda p: (round(p[0] * 1000 / EM), round(-p[1] * 1000 / EM))
    middle = lambda p, q: ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 1)
    text = ""
    for points in contours(glyph):
        # Between two control points there is a point of the curve; the outline begins at one.
        full = [q for k, p in enumerate(points) for q in ([] if points[k - 1][2] or p[2] else [middle(points[k - 1], p)]) + [p]]
        begin = next(k for k, p in enumerate(full) if p[2])
        full = full[begin:] + full[: begin + 1]
        x, y = place(full[0])
        text += f"M{x} {y}"
        k = 1
        while k < len(full):
            ends = [place(full[k])] if full[k][2] else [place(full[k]), place(full[k + 1])]
            k += len(ends)
            if len(ends) == 1 and k == len(full):
                break  # z goes there
            numbers = " ".join(f"{px - x} {py - y}" for px, py in ends)
            text += ("l" if len(ends) == 1 else "q") + numbers.replace(" -", "-")
            x, y = ends[-1]
        text += "z"
    return text


glyphs = character_map()
for letter in (letter for letter in LETTERS if ord(letter) in glyphs and letter != "\u00ad"):
    glyph = glyphs[ord(letter)]
    advance = read("H", tables["hmtx"] + 4 * min(glyph, METRICS - 1))[0]
    print(f"{letter}{round(advance * 1000 / EM)} {outline(glyph)}".rstrip())
