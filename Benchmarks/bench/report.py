"""The figures and the table that shows them."""

import json
import statistics


class Report:
    """Samples by part and name, in the order of their first appearance."""

    def __init__(self, machine):
        self.machine = machine
        self.figures = {}
        self.notes = []

    def add(self, part, name, unit, value, goal=None):
        """`goal` is a pair such as ("≥", 20000)."""
        figure = self.figures.setdefault((part, name), {"unit": unit, "goal": goal, "samples": []})
        figure["samples"].append(value)

    def note(self, part, text):
        if (part, text) not in self.notes:
            self.notes.append((part, text))

    def rows(self):
        for (part, name), figure in self.figures.items():
            median = statistics.median(figure["samples"])
            yield {
                "part": part,
                "name": name,
                "unit": figure["unit"],
                "median": median,
                "least": min(figure["samples"]),
                "most": max(figure["samples"]),
                "samples": figure["samples"],
                "goal": "".join(map(str, figure["goal"])) if figure["goal"] else None,
                "met": _is_met(median, figure["goal"]),
            }

    def json(self):
        return json.dumps(
            {
                "machine": self.machine,
                "figures": list(self.rows()),
                "notes": [{"part": part, "note": text} for part, text in self.notes],
            },
            indent=1,
        )

    def table(self):
        lines = [("part", "what", "median", "least … most", "n", "goal", "")]
        for row in self.rows():
            spread = f"{_number(row['least'])} … {_number(row['most'])}" if len(row["samples"]) > 1 else ""
            verdict = {True: "met", False: "MISSED", None: ""}[row["met"]]
            median = f"{_number(row['median'])} {row['unit']}"
            lines.append(
                (row["part"], row["name"], median, spread, str(len(row["samples"])), row["goal"] or "", verdict)
            )
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        right = {2, 4}
        text = []
        for line in lines:
            cells = [
                cell.rjust(width) if column in right else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths))
            ]
            text.append("  ".join(cells).rstrip())
        machine = self.machine
        head = (
            f"{machine['cores']} × {machine['cpu']}, {machine['memory_mib']} MiB, Linux {machine['kernel']}, "
            f"commit {machine['commit']}, {machine['date']}, load {machine['load_average_before']:.1f}"
        )
        notes = [f"{part}: {note}" for part, note in self.notes]
        return "\n".join([head, ""] + text + ([""] + notes if notes else []))


def _is_met(value, goal):
    if goal is None:
        return None
    relation, bound = goal
    return value >= bound if relation == "≥" else value <= bound


def _number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"
