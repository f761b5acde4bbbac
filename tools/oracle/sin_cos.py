"""Sine and cosine to 32 digits for golden/sin-cos.csv: x, and each value as the sum of two doubles."""

import pathlib
import random

import mpmath

mpmath.mp.prec = 400  # far more than the 110 bits that are stored, whatever cancels in the reduction
RANGE = 205887.0  # SIN_COS_RANGE of the library

ROWS_PER_DECADE = 60


def split(value):
    """A 400-bit number as a double and the double nearest to what is left."""
    high = float(value)
    return high, float(value - mpmath.mpf(high))


def arguments():
    """Angles of every size up to the range, and the neighbours of multiples of pi/4, where cancellation is worst."""
    draw = random.Random(1743)
    for exponent in range(-9, 6):
        for _ in range(ROWS_PER_DECADE):
            x = draw.choice((-1, 1)) * 10 ** draw.uniform(exponent, exponent + 1)
            if abs(x) <= RANGE:
                yield x
    for n in list(range(-12, 13)) + [draw.randrange(13, 262143) for _ in range(200)] + [262143]:
        near = float(n * mpmath.pi / 4)
        if abs(near) <= RANGE:
            yield from (near, float(mpmath.mpf(near) * (1 + mpmath.mpf(2) ** -52)))


def main():
    golden = pathlib.Path(__file__).resolve().parents[2] / "golden"
    lines = ["x,sin_high,sin_low,cos_high,cos_low"]
    for x in arguments():
        exact = mpmath.mpf(x)
        numbers = (x, *split(mpmath.sin(exact)), *split(mpmath.cos(exact)))
        lines.append(",".join(repr(number) for number in numbers))
    (golden / "sin-cos.csv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} rows")


if __name__ == "__main__":
    main()
