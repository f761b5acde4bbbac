#!/usr/bin/env python3
"""Draws the conventions, docs/images/{conventions,delta,fourth-axis}.svg, from the geometry of robots/d3-1200*.toml.

    tools/draw_conventions.py            write the pictures
    tools/draw_conventions.py --check    only say whether they are up to date

Standard library only, Python 3.11 or newer. Positions come from the robot file and the formulas of
docs/conventions.md; nothing is placed by eye but the labels. The distance between the two rods of a forearm is not in
the file of this robot; SPACING is for drawing only.
"""

import math
import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SPACING = 0.08  # m

INK, SOFT, FAINT = "#1c2733", "#5b6b7b", "#aab6c2"
PAPER, EDGE = "#fbfcfe", "#d5dde5"
ARM, ROD, PLATE, AXIS, MARK = "#1f6fb2", "#d9822b", "#2f8f6b", "#1c2733", "#b3364b"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


# The robot.

def number(value):
    """A number of the robot file in SI units; it writes lengths in metres and angles in degrees."""
    if isinstance(value, (int, float)):
        return float(value)
    digits, unit = value.split(" ", 1)
    return float(digits) * {"m": 1.0, "mm": 1e-3, "deg": math.pi / 180}[unit]


class Robot:
    def __init__(self, path):
        file = tomllib.loads(path.read_text())
        self.base, self.plate = number(file["base"]["radius"]), number(file["platform"]["radius"])
        self.la, self.lb = number(file["upper_arm"]["length"]), number(file["forearm"]["length"])
        self.azimuths = [number(a) for a in file["base"]["azimuths"]]
        self.r = self.base - self.plate

    def q(self, x, y, z, phi, branch=1):
        """Joint angle of the arm at azimuth phi; branch +1 is elbows out."""
        p = x * math.cos(phi) + y * math.sin(phi) - self.r
        t = -x * math.sin(phi) + y * math.cos(phi)
        k = (p * p + t * t + z * z + self.la**2 - self.lb**2) / (2 * self.la)
        return math.atan2(-z, p) - branch * math.acos(k / math.hypot(p, z))


# A canvas.

def label(text):
    """'L_A' with a real subscript; one letter or word after the underscore, up to a blank."""
    out, rest = "", escape(text)
    while "_" in rest:
        head, rest = rest.split("_", 1)
        end = next((i for i, c in enumerate(rest) if c in " ,·=()+−"), len(rest))
        out += f'{head}<tspan dy="4" font-size="75%">{rest[:end]}</tspan><tspan dy="-4">&#8203;</tspan>'
        rest = rest[end:]
    return out + rest


class Canvas:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f"<title>{title}</title>",
                      f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="14" fill="{PAPER}" stroke="{EDGE}"/>']

    def add(self, part):
        self.parts.append(part)

    def line(self, a, b, color=INK, width=1.5, dash=None, cap="round"):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{color}" '
                 f'stroke-width="{width}" stroke-linecap="{cap}"{extra}/>')

    def path(self, points, color="none", width=1.5, fill="none", close=True, dash=None, opacity=None):
        d = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points) + (" Z" if close else "")
        extra = (f' stroke-dasharray="{dash}"' if dash else "") + (f' fill-opacity="{opacity}"' if opacity else "")
        self.add(f'<path d="{d}" fill="{fill}" stroke="{color}" stroke-width="{width}" stroke-linejoin="round" '
                 f'stroke-linecap="round"{extra}/>')

    def dot(self, at, radius, fill=INK, stroke="none", width=1.5):
        self.add(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="{width}"/>')

    def ring(self, at, radius, color=SOFT, width=1.2, dash=None):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:.1f}" fill="none" stroke="{color}" stroke-width="{width}"{extra}/>')

    def head(self, tip, direction, color, size=9.0):
        ux, uy = direction
        n = math.hypot(ux, uy)
        ux, uy = ux / n, uy / n
        base = (tip[0] - size * ux, tip[1] - size * uy)
        w = 0.38 * size
        self.path([tip, (base[0] - w * uy, base[1] + w * ux), (base[0] + w * uy, base[1] - w * ux)], fill=color, width=0)

    def arrow(self, a, b, color=INK, width=1.6, size=9.0):
        d = (b[0] - a[0], b[1] - a[1])
        n = math.hypot(*d)
        stop = (b[0] - d[0] / n * size * 0.8, b[1] - d[1] / n * size * 0.8)
        self.line(a, stop, color, width, cap="butt")
        self.head(b, d, color, size)

    def measure(self, a, b, color=SOFT):
        """A line with a head at both ends."""
        d = (b[0] - a[0], b[1] - a[1])
        n = math.hypot(*d)
        u = (d[0] / n * 6, d[1] / n * 6)
        self.line((a[0] + u[0], a[1] + u[1]), (b[0] - u[0], b[1] - u[1]), color, 1.2, cap="butt")
        self.head(b, d, color, 7.5)
        self.head(a, (-d[0], -d[1]), color, 7.5)

    def arc(self, centre, radius, start, stop, color=MARK, width=1.6, arrow=True):
        """Angles in radians as drawn: counter-clockwise on the page is positive."""
        steps = max(8, int(abs(stop - start) * 20))
        if arrow:  # leave room for the head
            stop_line = stop - math.copysign(7.0 / radius, stop - start)
        else:
            stop_line = stop
        points = [(centre[0] + radius * math.cos(a), centre[1] - radius * math.sin(a))
                  for a in (start + (stop_line - start) * i / steps for i in range(steps + 1))]
        self.path(points, color, width, close=False)
        if arrow:
            tip = (centre[0] + radius * math.cos(stop), centre[1] - radius * math.sin(stop))
            sign = math.copysign(1.0, stop - start)
            lean = stop - sign * 3.5 / radius
            self.head(tip, (-sign * math.sin(lean), -sign * math.cos(lean)), color, 8.5)

    def text(self, at, text, color=INK, size=15, anchor="middle", weight="normal", italic=False):
        style = ' font-style="italic"' if italic else ""
        self.add(f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{color}" font-size="{size}" text-anchor="{anchor}" '
                 f'font-weight="{weight}"{style}>{label(text)}</text>')

    def svg(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" font-family="{FONT}">\n<!-- made by tools/draw_conventions.py -->\n{body}\n</svg>\n')


def along(a, b, s):
    return (a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s)


# The conventions.

def top_view(c, robot, centre, scale):
    """Seen from above (against z): azimuths, arm numbers."""
    z = -0.85
    at = lambda x, y: (centre[0] + scale * x, centre[1] - scale * y)
    # Axes.
    c.arrow(at(-0.30, 0), at(0.80, 0), AXIS, 1.2)
    c.arrow(at(0, -0.30), at(0, 0.66), AXIS, 1.2)
    c.text((at(0.80, 0)[0] + 12, at(0.80, 0)[1] + 5), "x", italic=True)
    c.text((at(0, 0.66)[0] + 1, at(0, 0.66)[1] - 9), "y", italic=True)
    c.ring(at(0, 0), scale * robot.base, FAINT, 1.2, "5 4")
    for i, phi in enumerate(robot.azimuths):
        u, v = (math.cos(phi), math.sin(phi)), (-math.sin(phi), math.cos(phi))
        place = lambda radial, lateral: at(u[0] * radial + v[0] * lateral, u[1] * radial + v[1] * lateral)
        elbow = robot.base + robot.la * math.cos(robot.q(0, 0, z, phi))
        h = SPACING / 2
        for side in (-h, h):
            c.line(place(elbow, side), place(robot.plate, side), ROD, 2.4)
        c.line(place(elbow, -h), place(elbow, h), ROD, 2.4)
        c.line(place(robot.base, 0), place(elbow, 0), ARM, 6)
        c.line(place(robot.base, -0.075), place(robot.base, 0.075), INK, 7, cap="butt")
        badge = place(elbow + 0.075, 0.0)
        c.dot(badge, 13, PAPER, ARM, 2)
        c.text((badge[0], badge[1] + 5), str(i + 1), ARM, 15, weight="bold")
    corners = []
    for phi in robot.azimuths:
        u, v = (math.cos(phi), math.sin(phi)), (-math.sin(phi), math.cos(phi))
        for side in (-SPACING / 2, SPACING / 2):
            corners.append(at(u[0] * robot.plate + v[0] * side, u[1] * robot.plate + v[1] * side))
    c.path(corners, PLATE, 2, "#d8efe5")
    # z towards the reader.
    c.dot(at(0, 0), 7, PAPER, AXIS, 1.4)
    c.dot(at(0, 0), 2.2, AXIS)
    c.text((at(0, 0)[0] - 12, at(0, 0)[1] + 16), "z", italic=True)
    # Azimuths.
    c.arc(at(0, 0), 0.385 * scale, 0.03, robot.azimuths[1] - 0.11)
    c.text(at(0.155, 0.275), "φ_2", MARK, 17)
    c.arc(at(0, 0), 0.465 * scale, 0.03, robot.azimuths[2] - 0.09)
    c.text(at(-0.535, 0.10), "φ_3", MARK, 17)
    c.text((at(0.78, 0)[0], at(0, 0)[1] + 30), "arm 1: φ_1 = 0°", ARM, 14, "end")
    c.text((at(-0.30, 0.625)[0] - 12, at(0, 0.66)[1] - 4), "arm 2: 120°", ARM, 14, "end")
    c.text((at(-0.30, -0.66)[0] - 12, at(0, -0.66)[1] + 12), "arm 3: 240°", ARM, 14, "end")
    # Radial and lateral directions, as for arm 3.
    phi = robot.azimuths[2]
    u, v = (math.cos(phi), math.sin(phi)), (-math.sin(phi), math.cos(phi))
    start = (u[0] * 0.46 + v[0] * 0.13, u[1] * 0.46 + v[1] * 0.13)
    c.arrow(at(*start), at(start[0] + 0.17 * u[0], start[1] + 0.17 * u[1]), SOFT, 1.5)
    c.arrow(at(*start), at(start[0] + 0.17 * v[0], start[1] + 0.17 * v[1]), SOFT, 1.5)
    tip = at(start[0] + 0.17 * u[0], start[1] + 0.17 * u[1])
    c.text((tip[0] - 1, tip[1] + 16), "p", SOFT, 15, italic=True)
    tip = at(start[0] + 0.17 * v[0], start[1] + 0.17 * v[1])
    c.text((tip[0] + 10, tip[1] + 8), "t", SOFT, 15, italic=True)
    c.text((tip[0] + 26, tip[1] + 34), "radial and lateral", SOFT, 13, "start")
    c.text((tip[0] + 26, tip[1] + 51), "directions of arm 3", SOFT, 13, "start")


def side_view(c, robot, origin, scale):
    """The vertical plane of arm 1, platform joint in it."""
    x, z = 0.0, -0.93
    at = lambda radial, height: (origin[0] + scale * radial, origin[1] - scale * height)
    q = robot.q(x, 0, z, 0)
    motor, elbow = (robot.base, 0.0), (robot.base + robot.la * math.cos(q), -robot.la * math.sin(q))
    joint = (x + robot.plate, z)
    shrink = lambda point: (point[0] - robot.plate, point[1])
    # Base and axes.
    c.line(at(-0.10, 0), at(robot.base + 0.40, 0), FAINT, 1.2, "6 4")
    c.arrow(at(0, -1.07), at(0, 0.20), AXIS, 1.3)
    c.text((at(0, 0.20)[0], at(0, 0.20)[1] - 9), "z", italic=True)
    c.arrow(at(robot.base + 0.40, 0), at(robot.base + 0.46, 0), AXIS, 1.3)
    c.text((at(robot.base + 0.46, 0)[0], at(0, 0)[1] - 26), "outward,", SOFT, 13, "end")
    c.text((at(robot.base + 0.46, 0)[0], at(0, 0)[1] - 10), "azimuth φ", SOFT, 13, "end")
    # The chain with the platform shrunk to its centre.
    c.line(at(*shrink(motor)), at(*shrink(elbow)), ARM, 1.8, "3 5")
    c.line(at(*shrink(elbow)), at(*shrink(joint)), ROD, 1.8, "3 5")
    c.ring(at(*shrink(motor)), 5, ARM, 1.6)
    c.ring(at(*shrink(elbow)), 4, ROD, 1.6)
    # The real one.
    c.line(at(*motor), at(*elbow), ARM, 7)
    c.line(at(*elbow), at(*joint), ROD, 4)
    c.line(at(x - robot.plate, z), at(*joint), PLATE, 7)
    c.dot(at(*motor), 11, PAPER, INK, 2)
    c.dot(at(*motor), 3, INK)
    c.dot(at(*elbow), 6, PAPER, INK, 2)
    c.dot(at(*joint), 6, PAPER, INK, 2)
    c.dot(at(x, z), 4.5, INK)
    # Joint angle and torque.
    c.arc(at(*motor), 0.235 * scale, 0.0, -q)
    c.text((at(*motor)[0] + 0.235 * scale - 18, at(*motor)[1] + 26), "q", MARK, 18, italic=True)
    c.arc(at(*motor), 24, math.radians(150), math.radians(20), MARK)
    c.text((at(*motor)[0] + 27, at(*motor)[1] - 20), "τ", MARK, 18, "start", italic=True)
    # e′ at the elbow.
    tangent = (-math.sin(q), -math.cos(q))
    tip = (elbow[0] + 0.17 * tangent[0], elbow[1] + 0.17 * tangent[1])
    c.arrow(at(*elbow), at(*tip), MARK, 2)
    c.text((at(*tip)[0] + 14, at(*tip)[1] + 8), "e′", MARK, 17, "start", italic=True)
    c.text((at(*elbow)[0] + 13, at(*elbow)[1] - 8), "elbow", SOFT, 14, "start")
    # Lengths.
    middle = along(at(*motor), at(*elbow), 0.82)
    c.text((middle[0] + 12, middle[1] - 12), "L_A", ARM, 18)
    middle = along(at(*elbow), at(*joint), 0.5)
    c.text((middle[0] + 14, middle[1] + 14), "L_B", ROD, 18, "start")
    middle = along(at(*shrink(elbow)), at(*shrink(joint)), 0.45)
    c.text((middle[0] - 16, middle[1] + 2), "s", ROD, 18, "end", italic=True)
    # Radii.
    up = at(0, 0)[1] - 40
    c.measure((at(0, 0)[0], up), (at(robot.base, 0)[0], up))
    c.line((at(robot.base, 0)[0], up - 6), (at(robot.base, 0)[0], at(0, 0)[1] - 13), FAINT, 1)
    c.text((at(robot.base / 2, 0)[0] + 8, up - 8), "base radius", SOFT, 14)
    low = at(0, 0)[1] - 14
    c.measure((at(0, 0)[0], low), (at(robot.r, 0)[0], low), MARK)
    c.text((at(robot.r / 2, 0)[0], low - 5), "R", MARK, 16, italic=True)
    down = at(0, z)[1] + 24
    c.measure((at(0, z)[0], down), (at(robot.plate, z)[0], down))
    c.line((at(robot.plate, z)[0], at(0, z)[1] + 9), (at(robot.plate, z)[0], down + 6), FAINT, 1)
    c.text((at(robot.plate, z)[0] + 10, down + 5), "platform radius", SOFT, 14, "start")
    c.text((at(x, z)[0] - 10, at(x, z)[1] - 10), "X", PLATE, 18, "end", italic=True)
    c.text((at(-robot.plate, z)[0] - 10, at(x, z)[1] + 5), "platform", PLATE, 14, "end")
    # Gravity.
    g = at(-0.27, -0.30)
    c.arrow(g, (g[0], g[1] + 62), INK, 2)
    c.text((g[0] - 10, g[1] + 38), "g", INK, 18, "end", italic=True)
    # Dashed chain.
    note = at(-0.33, -0.62)
    c.text(note, "dotted: platform", SOFT, 13, "start")
    c.text((note[0], note[1] + 16), "shrunk to X,", SOFT, 13, "start")
    c.text((note[0], note[1] + 32), "motor axis at R", SOFT, 13, "start")


def branches(c, robot, origin, scale):
    """One platform position, both elbows; in the shrunk picture."""
    x, z = 0.0, -0.70
    at = lambda radial, height: (origin[0] + scale * radial, origin[1] - scale * height)
    motor, platform = (robot.r, 0.0), (x, z)
    c.ring(at(*motor), scale * robot.la, FAINT, 1.1, "4 4")
    for branch, dash in ((-1, "4 5"), (1, None)):
        q = robot.q(x, 0, z, 0, branch)
        elbow = (robot.r + robot.la * math.cos(q), -robot.la * math.sin(q))
        c.line(at(*motor), at(*elbow), ARM, 5 if branch > 0 else 2.4, dash)
        c.line(at(*elbow), at(*platform), ROD, 3.2 if branch > 0 else 2.0, dash)
        c.dot(at(*elbow), 4.5, PAPER, INK, 1.8)
        where = at(*elbow)
        if branch > 0:
            c.text((where[0] + 10, where[1] - 10), "out, w > 0", INK, 14, "start")
        else:
            c.text((where[0] - 10, where[1] + 17), "in, w < 0", SOFT, 14, "end")
    c.dot(at(*motor), 7, PAPER, INK, 2)
    c.dot(at(*motor), 2, INK)
    c.dot(at(*platform), 4.5, PLATE)
    c.text((at(*platform)[0] + 11, at(*platform)[1] + 8), "X", PLATE, 17, "start", italic=True)


def ball_angle(c, robot, origin, scale):
    """The two rods in true length, from the side that faces them: how far they lean out of the arm's plane."""
    t = 0.30
    at = lambda lateral, down: (origin[0] + scale * lateral, origin[1] + scale * down)
    lean = math.asin(t / robot.lb)
    foot = (t, robot.lb * math.cos(lean))
    c.line(at(0, -0.05), at(0, foot[1] + 0.06), FAINT, 1.3, "6 4")
    h = SPACING / 2
    for side in (-h, h):
        c.line(at(side, 0), at(foot[0] + side, foot[1]), ROD, 3)
    c.line(at(-h, 0), at(h, 0), INK, 5)
    c.line(at(foot[0] - h - 0.03, foot[1]), at(foot[0] + h + 0.03, foot[1]), PLATE, 6)
    for side in (-h, h):
        c.dot(at(side, 0), 3.6, PAPER, INK, 1.6)
        c.dot(at(foot[0] + side, foot[1]), 3.6, PAPER, INK, 1.6)
    c.arc(at(0, 0), 0.55 * scale, -math.pi / 2, -math.pi / 2 + lean)
    c.text((at(0, 0)[0] + 58, at(0, 0.38)[1]), "ball angle", MARK, 14, "start")
    c.text((at(0, 0)[0] + 58, at(0, 0.38)[1] + 19), "= arcsin(t/L_B)", MARK, 14, "start")
    middle = along(at(h, 0), at(foot[0] + h, foot[1]), 0.82)
    c.text((middle[0] + 12, middle[1]), "L_B", ROD, 16, "start")
    y = at(0, foot[1])[1] + 20
    c.measure((at(0, 0)[0], y), (at(t, 0)[0], y))
    c.line((at(t, 0)[0], y - 12), (at(t, 0)[0], y + 6), FAINT, 1)
    c.text((at(t / 2, 0)[0], y + 17), "t", SOFT, 15, italic=True)
    c.text((at(0, 0)[0] - 12, at(0, foot[1] * 0.6)[1]), "plane of", SOFT, 13, "end")
    c.text((at(0, 0)[0] - 12, at(0, foot[1] * 0.6)[1] + 16), "the arm", SOFT, 13, "end")


def conventions(robot):
    c = Canvas(1280, 640, "Conventions of the Delta robot: top view, side view of one arm, elbow branches, ball angle")
    for x, y, title in ((28, 36, "From above"), (478, 36, "Arm 1 in its vertical plane"), (948, 36, "Elbow branches"),
                        (948, 356, "Forearm, face on")):
        c.text((x, y), title, INK, 17, "start", "bold")
    for a, b in (((456, 20), (456, 620)), ((926, 20), (926, 620)), ((940, 328), (1262, 328))):
        c.line(a, b, EDGE, 1.2)
    top_view(c, robot, (192, 330), 268)
    side_view(c, robot, (612, 150), 425)
    branches(c, robot, (1062, 150), 205)
    ball_angle(c, robot, (1030, 406), 190)
    return c.svg()


# The robot in space.

def isometric(robot):
    width, height, scale = 760, 640, 525.0
    turn, tilt = math.radians(-84), math.radians(24)  # the viewer's azimuth and height

    def project(point):
        x, y, z = point
        right = -x * math.sin(turn) + y * math.cos(turn)
        depth = x * math.cos(turn) + y * math.sin(turn)
        up = z * math.cos(tilt) - depth * math.sin(tilt)
        return (width / 2 - 30 + scale * right, 142 - scale * up)

    def nearness(point):
        x, y, z = point
        return (x * math.cos(turn) + y * math.sin(turn)) * math.cos(tilt) + z * math.sin(tilt)

    c = Canvas(width, height, "The d3-1200, drawn from its robot file")
    pose = (0.12, -0.05, -0.80)
    shapes = []  # (nearness, function)

    def bar(a, b, color, thick, light):
        middle = tuple((u + v) / 2 for u, v in zip(a, b))
        def draw():
            c.line(project(a), project(b), INK, thick + 2.2)
            c.line(project(a), project(b), color, thick)
            c.line(project(a), project(b), light, max(1.0, thick * 0.25))
        shapes.append((nearness(middle), draw))

    def ball(at, radius, fill=PAPER):
        shapes.append((nearness(at) + 0.02, lambda: c.dot(project(at), radius, fill, INK, 1.6)))

    def disc(centre, radius, fill, stroke, lift, opacity=None, steps=72):
        ring = [project((centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a), centre[2]))
                for a in (2 * math.pi * i / steps for i in range(steps))]
        shapes.append((nearness(centre) + lift, lambda: c.path(ring, stroke, 1.8, fill, opacity=opacity)))

    # Base plate: what the three motors hang on.
    disc((0, 0, 0.05), robot.base + 0.03, "#b9c6d3", SOFT, 2.0, 0.35)
    elbows = []
    for phi in robot.azimuths:
        u, v = (math.cos(phi), math.sin(phi), 0.0), (-math.sin(phi), math.cos(phi), 0.0)
        q = robot.q(*pose, phi)
        place = lambda radial, lateral, z: tuple(
            u[k] * radial + v[k] * lateral + (z if k == 2 else 0.0) for k in range(3))
        reach = robot.base + robot.la * math.cos(q)
        drop = -robot.la * math.sin(q)
        h = SPACING / 2
        bar(place(robot.base, -0.085, 0), place(robot.base, 0.085, 0), "#8593a1", 22, "#c4ced8")
        bar(place(robot.base, 0, 0), place(reach, 0, drop), ARM, 13, "#7fb6e0")
        bar(place(reach, -h, drop), place(reach, h, drop), "#8593a1", 5, "#c4ced8")
        for side in (-h, h):
            low = tuple(pose[k] + u[k] * robot.plate + v[k] * side for k in range(3))
            bar(place(reach, side, drop), low, ROD, 4.5, "#f6c58d")
            ball(place(reach, side, drop), 5.2)
            ball(low, 4.6)
        elbows.append((phi, place(reach, 0, drop)))
    corners = []
    for phi in robot.azimuths:
        for side in (-SPACING / 2, SPACING / 2):
            corners.append(tuple(pose[k] + robot.plate * (math.cos(phi), math.sin(phi), 0)[k]
                                 + side * (-math.sin(phi), math.cos(phi), 0)[k] for k in range(3)))
    outline = [project(p) for p in corners]
    shapes.append((nearness(pose), lambda: c.path(outline, PLATE, 2.4, "#bfe3d3")))
    for _, draw in sorted(shapes, key=lambda shape: shape[0]):
        draw()

    # Frame at the base centre, over everything: x, y, z.
    origin = (0.0, 0.0, 0.05)
    for axis, name, shift in (((0.16, 0, 0), "x", (10, 12)), ((0, 0.20, 0), "y", (11, 4)), ((0, 0, 0.13), "z", (0, -8))):
        tip = tuple(o + a for o, a in zip(origin, axis))
        c.arrow(project(origin), project(tip), AXIS, 2)
        c.text((project(tip)[0] + shift[0], project(tip)[1] + shift[1]), name, AXIS, 16, italic=True)
    c.dot(project(origin), 3, AXIS)
    c.dot(project(pose), 4, INK)
    c.text((project(pose)[0] + 2, project(pose)[1] + 44), "X", PLATE, 18, italic=True, weight="bold")
    for number_, (phi, elbow) in enumerate(elbows, 1):
        motor = project((robot.base * math.cos(phi), robot.base * math.sin(phi), 0.0))
        tip = project(elbow)
        reach = math.dist(motor, tip)
        at = along(motor, tip, 1 + 38 / reach)  # beyond the elbow, on the page
        c.dot(at, 13, PAPER, ARM, 2)
        c.text((at[0], at[1] + 5), str(number_), ARM, 15, weight="bold")
    c.text((24, height - 44), "d3-1200", INK, 18, "start", "bold")
    c.text((24, height - 22), f"X = ({pose[0]}, {pose[1]}, {pose[2]}) m".replace("-", "−"), SOFT, 14, "start")
    return c.svg()


# The fourth axis.

def fourth_axis(path):
    """The shaft in the vertical plane that contains it, and the tool from above."""
    shaft = tomllib.loads(path.read_text())["fourth_axis"]["shaft"]
    top, lift = number(shaft["base_joint"][2]), number(shaft["platform_joint"])
    d1, d2 = number(shaft["tube"]["center_of_mass"]), number(shaft["rod"]["center_of_mass"])
    c = Canvas(900, 560, "The fourth axis: shaft in its vertical plane, tool from above")
    c.text((28, 36), "Shaft in its vertical plane", INK, 17, "start", "bold")
    c.text((578, 36), "Tool from above", INK, 17, "start", "bold")
    c.line((556, 20), (556, 540), EDGE, 1.2)

    scale, origin = 455, (165, 118)
    at = lambda x, z: (origin[0] + scale * x, origin[1] - scale * z)
    x = (0.33, -0.82)  # the platform's centre
    b, p = (0.0, top), (x[0], x[1] + lift)
    length = math.dist(b, p)
    u = ((p[0] - b[0]) / length, (p[1] - b[1]) / length)
    on = lambda from_, way: (from_[0] + u[0] * way, from_[1] + u[1] * way)
    c.line(at(-0.25, 0), at(0.62, 0), FAINT, 1.2, "6 4")
    c.arrow(at(-0.25, -0.12), at(-0.25, 0.1), AXIS, 1.3)
    c.text((at(-0.25, 0.1)[0], at(0, 0.1)[1] - 7), "z", italic=True)
    for foot, ends in ((b, (0.19, -0.30)), (p, (0.14, -0.16))):
        c.line(at(foot[0], foot[1] + ends[0]), at(foot[0], foot[1] + ends[1]), FAINT, 1.2, "6 4")
    c.line(at(0, top), at(0, top + 0.11), INK, 5)
    c.path([at(-0.055, top + 0.07), at(0.055, top + 0.07), at(0.055, top + 0.15), at(-0.055, top + 0.15)], INK, 2, "#c4ced8")
    c.text((at(0.075, top + 0.1)[0], at(0, top + 0.1)[1]), "motor on the base", SOFT, 14, "start")
    c.line(at(*b), at(*on(b, 2 * d1)), ARM, 9)
    c.line(at(*p), at(*on(p, -2 * d2)), ROD, 4)
    c.line(at(p[0], p[1]), at(p[0], x[1] - 0.09), INK, 5)
    c.line(at(x[0] - 0.1, x[1]), at(x[0] + 0.1, x[1]), PLATE, 7)
    c.line(at(x[0] - 0.04, x[1] - 0.09), at(x[0] + 0.04, x[1] - 0.09), MARK, 6)
    for joint, name, shift in ((b, "B", (-16, 4)), (p, "P", (16, -6))):
        c.dot(at(*joint), 7, PAPER, INK, 2)
        c.text((at(*joint)[0] + shift[0], at(*joint)[1] + shift[1]), name, INK, 18, italic=True)
    c.dot(at(*x), 4.5, INK)
    c.text((at(*x)[0] - 14, at(*x)[1] + 24), "X", PLATE, 18, "end", italic=True)
    c.text((at(x[0] + 0.12, 0)[0], at(*x)[1] + 5), "platform", PLATE, 14, "start")
    c.text((at(x[0] + 0.06, 0)[0], at(0, x[1] - 0.09)[1] + 6), "tool", MARK, 14, "start")
    # Centres of mass, beside the shaft.
    for way, name, color, side in ((d1, "d_tube", ARM, 1), (-d2, "d_rod", ROD, -1)):
        start = b if way > 0 else p
        away = (-u[1] * 0.055 * side, u[0] * 0.055 * side)
        shifted = lambda point: at(point[0] + away[0], point[1] + away[1])
        c.measure(shifted(start), shifted(on(start, way)), color)
        c.dot(at(*on(start, way)), 5, PAPER, color, 2.4)
        middle = along(shifted(start), shifted(on(start, way)), 0.5)
        c.text((middle[0] + 12 * side, middle[1] + (-4 if side > 0 else 14)), name, color, 16, "start" if side > 0 else "end")
    tip = on(b, 0.2)
    c.arrow(at(*b), at(*tip), MARK, 2)
    c.text((at(*tip)[0] - 12, at(*tip)[1] + 12), "u", MARK, 18, "end", italic=True)
    c.arc(at(*b), 0.235 * scale, -math.pi / 2, math.atan2(u[1], u[0]), MARK, arrow=False)
    c.text((at(0.045, 0)[0], at(0, top - 0.28)[1]), "β", MARK, 17, italic=True)
    c.arc(at(*p), 0.13 * scale, math.pi / 2, math.atan2(-u[1], -u[0]), MARK, arrow=False)
    c.text((at(p[0] - 0.03, 0)[0], at(0, p[1] + 0.155)[1]), "β", MARK, 17, italic=True)
    right = at(x[0] + 0.15, 0)[0]
    c.measure((right, at(*p)[1]), (right, at(*x)[1]))
    c.text((right + 12, (at(*p)[1] + at(*x)[1]) / 2 + 5), "platform joint", SOFT, 14, "start")

    centre, scale = (705, 300), 105
    at = lambda x, y: (centre[0] + scale * x, centre[1] - scale * y)
    c.arrow(at(-1.0, 0), at(1.45, 0), AXIS, 1.2)
    c.arrow(at(0, -1.0), at(0, 1.45), AXIS, 1.2)
    c.text((at(1.45, 0)[0] + 12, at(0, 0)[1] + 5), "x", italic=True)
    c.text((at(0, 1.45)[0], at(0, 1.45)[1] - 9), "y", italic=True)
    angle = math.radians(40)
    c.ring(at(0, 0), scale * 0.75, FAINT, 1.2, "5 4")
    place = lambda radial, lateral: at(radial * math.cos(angle) - lateral * math.sin(angle),
                                       radial * math.sin(angle) + lateral * math.cos(angle))
    c.path([place(-0.2, -0.12), place(0.95, -0.12), place(0.95, 0.12), place(-0.2, 0.12)], MARK, 2, "#f3dfe3")
    c.arrow(at(0, 0), place(1.35, 0), MARK, 2)
    c.text((place(1.35, 0)[0] + 14, place(1.35, 0)[1] - 2), "a", MARK, 18, italic=True)
    c.arc(at(0, 0), 1.1 * scale, 0.02, angle)
    c.text((at(1.2, 0.42)[0], at(0, 0.42)[1]), "c", MARK, 18, italic=True)
    c.dot(place(0.6, 0.0), 5, PAPER, INK, 2)
    c.text((place(0.6, -0.34)[0] + 4, place(0.6, -0.34)[1] + 4), "centre of mass", SOFT, 14, "start")
    c.dot(at(0, 0), 7, PAPER, AXIS, 1.4)
    c.dot(at(0, 0), 2.2, AXIS)
    c.text((at(0, 0)[0] - 14, at(0, 0)[1] + 18), "z", italic=True)
    c.text((578, 476), "a: pin of both joints at motor and tool", SOFT, 13, "start")
    c.text((578, 496), "c = motor angle / gear ratio, exactly", SOFT, 13, "start")
    return c.svg()


def main():
    robot = Robot(ROOT / "robots" / "d3-1200.toml")
    pictures = {IMAGES / "conventions.svg": conventions(robot), IMAGES / "delta.svg": isometric(robot),
                IMAGES / "fourth-axis.svg": fourth_axis(ROOT / "robots" / "d3-1200-fourth-axis-assumed.toml")}
    if "--check" in sys.argv[1:]:
        stale = [path.name for path, text in pictures.items() if not path.exists() or path.read_text() != text]
        if stale:
            sys.exit(f"out of date: {', '.join(stale)}; run tools/draw_conventions.py")
        return
    IMAGES.mkdir(parents=True, exist_ok=True)
    for path, text in pictures.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
