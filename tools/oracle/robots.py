"""Delta robots as 50-digit numbers, read from the project's robot files.

Decimals are taken at face value ("0.1" is one tenth, not the nearest double), so that the reference data do not inherit
the rounding of the parameters. Conventions: SI, radians, z up; every per-arm quantity is a list of three.
"""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf

mp.dps = 50

UNITS = {
    "m": mpf(1), "cm": mpf("1e-2"), "mm": mpf("1e-3"),
    "rad": mpf(1), "deg": mp.pi / 180,
    "kg": mpf(1), "g": mpf("1e-3"),
    "kg m^2": mpf(1), "g m^2": mpf("1e-3"), "kg mm^2": mpf("1e-6"),
}  # fmt: skip

KEYS = {
    "": {"kind", "name", "source", "gravity", "base", "upper_arm", "forearm", "platform", "motor", "joints", "payload"},
    "base": {"radius", "azimuths"},
    "upper_arm": {"length", "mass", "center_of_mass", "inertia", "inertia_about_axis", "elbow_mass"},
    "forearm": {"length", "mass", "center_of_mass", "inertia", "spacing"},
    "platform": {"radius", "mass", "tool"},
    "motor": {"rotor_inertia", "gear_ratio", "max_torque", "max_speed", "friction"},
    "motor.friction": {"viscous", "coulomb", "static", "stribeck_velocity", "smoothing_velocity"},
    "joints": {"range", "max_ball_angle", "passive_damping"},
    "payload": {"mass"},
}


@dataclass(frozen=True)
class Friction:
    """At a motor: viscous q̇ + [coulomb + (static − coulomb) exp(−(q̇/v_s)²)] tanh(q̇/v_0)."""

    viscous: mpf
    coulomb: mpf
    static: mpf
    stribeck_velocity: mpf
    smoothing_velocity: mpf

    def torque(self, qd):
        dry = self.coulomb + (self.static - self.coulomb) * mp.exp(-((qd / self.stribeck_velocity) ** 2))
        return self.viscous * qd + dry * mp.tanh(qd / self.smoothing_velocity)


@dataclass(frozen=True)
class Delta:
    gravity: list  # the acceleration of free fall in the base frame
    azimuth: list
    radius: list  # base radius − platform radius
    arm_length: list
    arm_mass: list  # without the elbow mass
    arm_center: list  # from the motor axis, along the arm
    arm_inertia: list  # about the motor axis, without elbow mass and rotor
    elbow_mass: list
    rotor_inertia: list  # reflected to the joint: rotor inertia × gear ratio²
    rod_length: list
    rod_mass: list  # of the pair
    rod_rho: list  # centre of mass from the elbow / length
    rod_inertia: list  # of the pair, transverse, about its centre of mass
    moved_mass: mpf  # platform and payload
    friction: Friction


def number(value):
    """A plain SI number, or a string "<number> <unit>"."""
    if isinstance(value, str):
        digits, unit = value.split(" ", 1)
        return mpf(digits) * UNITS[unit]
    return mpf(value)


def three(value):
    """One value for all arms, or a list of three."""
    values = value if isinstance(value, list) else [value] * 3
    if len(values) != 3:
        raise ValueError(f"expected one value or three, got {value}")
    return [number(v) for v in values]


def check_keys(table, path=""):
    if unknown := table.keys() - KEYS[path]:
        raise ValueError(f"unknown keys in [{path}]: {', '.join(sorted(unknown))}")
    for key, value in table.items():
        if isinstance(value, dict):
            check_keys(value, f"{path}.{key}" if path else key)


def load_toml(path):
    """A robot file with kind = "delta"."""
    with Path(path).open("rb") as file:
        robot = tomllib.load(file, parse_float=mpf)
    check_keys(robot)
    if robot["kind"] != "delta":
        raise ValueError(f'{path}: kind is "{robot["kind"]}", expected "delta"')
    base, arm, rod, platform = (robot[key] for key in ("base", "upper_arm", "forearm", "platform"))
    motor = robot.get("motor", {})
    friction = motor.get("friction", {})

    arm_mass, arm_center = three(arm["mass"]), three(arm["center_of_mass"])
    if ("inertia" in arm) == ("inertia_about_axis" in arm):
        raise ValueError(f"{path}: [upper_arm] needs either inertia or inertia_about_axis")
    if "inertia" in arm:
        arm_inertia = [i + m * c**2 for i, m, c in zip(three(arm["inertia"]), arm_mass, arm_center)]
    else:
        arm_inertia = three(arm["inertia_about_axis"])

    rod_length, rod_mass = three(rod["length"]), three(rod["mass"])
    rod_center = three(rod["center_of_mass"]) if "center_of_mass" in rod else [l / 2 for l in rod_length]
    uniform = [m * l**2 / 12 for m, l in zip(rod_mass, rod_length)]
    coulomb = number(friction.get("coulomb", 0))

    return Delta(
        gravity=three(robot.get("gravity", [0, 0, mpf("-9.81")])),
        azimuth=three(base.get("azimuths", ["0 deg", "120 deg", "240 deg"])),
        radius=[r - number(platform["radius"]) for r in three(base["radius"])],
        arm_length=three(arm["length"]),
        arm_mass=arm_mass,
        arm_center=arm_center,
        arm_inertia=arm_inertia,
        elbow_mass=three(arm.get("elbow_mass", 0)),
        rotor_inertia=[
            j * n**2 for j, n in zip(three(motor.get("rotor_inertia", 0)), three(motor.get("gear_ratio", 1)))
        ],
        rod_length=rod_length,
        rod_mass=rod_mass,
        rod_rho=[c / l for c, l in zip(rod_center, rod_length)],
        rod_inertia=three(rod["inertia"]) if "inertia" in rod else uniform,
        moved_mass=number(platform["mass"]) + number(robot.get("payload", {}).get("mass", 0)),
        friction=Friction(
            viscous=number(friction.get("viscous", 0)),
            coulomb=coulomb,
            static=number(friction.get("static", coulomb)),
            stribeck_velocity=number(friction.get("stribeck_velocity", mpf("0.1"))),
            smoothing_velocity=number(friction.get("smoothing_velocity", mpf("1e-3"))),
        ),
    )


def load_parameters(path):
    """The parameter files of the supplied data (`delta-*-parameters.json`).

    Their azimuths are whole degrees written as rounded radians; the exact angle is restored here.
    """
    p = json.loads(Path(path).read_text(), parse_float=mpf)
    return Delta(
        gravity=[mpf(0), mpf(0), -p["g"]],
        azimuth=[mp.nint(phi * 180 / mp.pi) * mp.pi / 180 for phi in p["phi"]],
        radius=[p["R"]] * 3,
        arm_length=[p["LA"]] * 3,
        arm_mass=[p["m_arm"]] * 3,
        arm_center=[p["c_arm"]] * 3,
        arm_inertia=[p["I_arm"]] * 3,
        elbow_mass=[mpf(0)] * 3,
        rotor_inertia=[p["I_rot"]] * 3,
        rod_length=[p["LB"]] * 3,
        rod_mass=[p["m_rod"]] * 3,
        rod_rho=[p["rho"]] * 3,
        rod_inertia=[p["I_rod"]] * 3,
        moved_mass=p["mP"],
        friction=Friction(mpf(0), mpf(0), mpf(0), mpf("0.1"), mpf("1e-3")),
    )
