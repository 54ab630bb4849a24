"""One run of the benchmarks: the state that all parts share."""

import time

from .load import H2Load, Wrk
from .machine import Quiet


class Bench:
    def __init__(self, folder, binary, against, stand_in, report):
        self.folder = folder
        self.binary = binary
        self.against = against
        self.stand_in = stand_in
        self.report = report
        self.wrk = Wrk(folder)
        self.h2load = H2Load(folder)

    def repeat(self, part, measure, count, seconds_max):
        """Calls `measure` until `count` runs were undisturbed or the time is up. `measure` returns its figures as
        (name, unit, value, goal). Runs that other processes disturbed count only if there are no others."""
        end = time.monotonic() + seconds_max
        good, disturbed, longest = [], [], 0.0
        while len(good) < count:
            started = time.monotonic()
            tries = len(good) + len(disturbed)
            if tries and (started + longest > end or tries >= 2 * count):
                break
            with Quiet() as quiet:
                figures = measure()
            longest = max(longest, time.monotonic() - started)
            if quiet.is_disturbed:
                disturbed.append((quiet.foreign, figures))
            else:
                good.append(figures)
        taken = good or [figures for _, figures in disturbed]
        if disturbed:
            most = max(foreign for foreign, _ in disturbed)
            what = "left out" if good else "counted, there being no others"
            self.report.note(
                part, f"{len(disturbed)} of {len(good) + len(disturbed)} runs disturbed (others took up to {most:.0%}), {what}"
            )
        for figures in taken:
            for name, unit, value, goal in figures:
                self.report.add(part, name, unit, value, goal)
