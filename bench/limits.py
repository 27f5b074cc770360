"""Figures with a floor and a goal, and whether they are met."""

from __future__ import annotations

import math
from dataclasses import dataclass


def verdict(value: float, floor: float | None, goal: float | None) -> str:
    """Whether a value is at least its floor and its goal."""
    if floor is None:
        return "–"
    if math.isnan(value):
        return "not measured"
    if value < floor:
        return "floor NOT met"
    return "floor met" if goal is None else "goal met" if value >= goal else "floor met, goal not"


@dataclass
class Limit:
    """A figure of Orff alone, with the most it may be."""

    what: str
    value: float
    floor: float | None
    goal: float | None = None
    comment: str = ""
    unit: str = ""

    def line(self) -> str:
        asked = [f"≤ {bound:g}{self.unit}" if bound else "–" for bound in (self.floor, self.goal)]
        least = [None if bound is None else -bound for bound in (self.floor, self.goal)]
        met = verdict(-self.value, *least)
        figure = "–" if math.isnan(self.value) else f"{self.value:.3g}{self.unit}"
        return f"| {self.what} | {figure} | {asked[0]} | {asked[1]} | {met} | {self.comment} |"

    @staticmethod
    def table(limits: list[Limit]) -> list[str]:
        return ["| of Orff alone | | floor | goal | | |", "|---|---|---|---|---|---|", *map(Limit.line, limits)]
