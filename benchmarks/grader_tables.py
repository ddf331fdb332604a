"""The figures of benchmarks/grader.py as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout import Row


def table(title: str, columns: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    shown = ["| " + " | ".join(_cell(value) for value in line) + " |" for line in lines]
    return "\n".join([f"\n### {title}\n", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns), *shown])


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _difference(line: Row, name: str) -> str:
    one = line.get("against", {}).get(name)
    return f"{one['difference']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}] {one['verdict']}" if one else ""


def support(lines: list[Row]) -> str:
    columns = [
        "source",
        "use",
        "system",
        "n",
        "not graded",
        "left open",
        "balanced accuracy",
        "AUROC",
        "contradiction F1",
    ]
    columns += ("ECE raw", "ECE", "balanced accuracy against overlap", "AUROC against overlap")
    keys = (
        "source",
        "use",
        "system",
        "n",
        "ungraded",
        "left_open",
        "bacc",
        "auroc",
        "contradiction_f1",
        "ece_raw",
        "ece",
    )
    cells = [
        [*(line.get(key) for key in keys), _difference(line, "bacc"), _difference(line, "auroc")] for line in lines
    ]
    return table("Claims against passages", columns, cells) + _int8(lines)


def _int8(lines: list[Row]) -> str:
    mean = {line["system"]: line for line in lines if line["source"] == "mean of sources"}
    if "local-fp32" not in mean:
        return ""
    lost = [100 * (mean["local-fp32"][key] - mean["local"][key]) for key in ("bacc", "auroc")]
    return f"\n\nint8 loses {lost[0]:.2f} points of balanced accuracy and {lost[1]:.2f} of AUROC against fp32."


def answers(lines: list[Row]) -> str:
    columns = ("source", "system", "n", "balanced accuracy", "AUROC", "balanced accuracy against overlap")
    keys = ("source", "system", "n", "bacc", "auroc")
    cells = [[*(line.get(key) for key in keys), _difference(line, "bacc")] for line in lines]
    return table("Does a passage answer a question", columns, cells)


def responses(lines: list[Row]) -> str:
    columns = ("source", "system", "reading", "n", "AUROC", "95 %", "within generator", "AUROC against overlap")
    cells = []
    for line in lines:
        span = f"{line['low']:.3f} to {line['high']:.3f}" if "low" in line else ""
        start = [line[key] for key in ("source", "system", "reading", "n", "auroc")]
        cells.append([*start, span, line["within_generator"], _difference(line, "auroc")])
    return table("Whole answers", columns, cells)


def edits(lines: list[Row]) -> str:
    columns = ["system", "claims", "false", "not graded", "caught at 5 % false alarms", "95 %", "without inferences"]
    columns += ("AUROC", "own threshold: false alarms", "caught")
    keys = ("system", "n", "false", "ungraded", "caught", "95", "caught_stated", "auroc", "own_alarms", "own_caught")
    cells = [[(line | {"95": f"{line['low']:.3f} to {line['high']:.3f}"})[key] for key in keys] for line in lines]
    kinds = lines[0]["kinds"]
    names = [line["system"] for line in lines]
    shown = table("Edits", columns, cells)
    for faithful, title in ((False, "Edits caught, by kind"), (True, "False alarms, by wording of the faithful claim")):
        own = [kind for kind in kinds if kinds[kind]["faithful"] == faithful]
        rows = [[kind, kinds[kind]["n"], *(line["kinds"][kind]["below"] for line in lines)] for kind in own]
        shown += "\n" + table(title, ("kind", "n", *names), rows)
    return shown


def refusals(lines: list[Row]) -> str:
    keys = ("source", "n", "values", "macro_f1", "binary_f1", "milliseconds")
    columns = ("source", "answers", "values labelled", "macro-F1", "refusal or not, F1", "ms an answer")
    return table("Refusals, held-out half", columns, [[line.get(key) for key in keys] for line in lines])


def claims(lines: list[Row]) -> str:
    keys = ("kind", "n", "claims", "right")
    columns = ("kind of sentence", "n", "claims", "read rightly")
    return table("Is a sentence a claim", columns, [[line[key] for key in keys] for line in lines])


def speed(lines: list[Row]) -> str:
    keys = ("system", "mix", "pairs", "per_second", "peak_mb", "cores")
    columns = ("system", "pairs of", "pairs", "pairs per second", "peak memory, MB", "cores")
    cells = [[round(v, 1) if isinstance(v := line.get(key), float) else v for key in keys] for line in lines]
    shown = [[f"{value:,}" if isinstance(value, float) else value for value in line] for line in cells]
    return table("Speed", columns, shown)


def labels(lines: list[Row]) -> str:
    told = [line for line in lines if "said" in line]
    cells = [
        [line["source"], line["n"], line["ungraded"], true.replace("_", " "), *said]
        for line in told
        for true, said in line["said"].items()
    ]
    shown = table(
        "Three labels",
        ("source", "claims", "not graded", "true label", "said: supported", "contradicted", "not enough"),
        cells,
    )
    keys = ("source", "n", "precision", "recall", "contradiction_f1")
    cells = [[line[key] for key in keys] for line in told]
    shown += "\n" + table("Of `contradicted`", ("source", "claims", "precision", "recall", "F1"), cells)
    keys = ("from", "to", "n", "mean", "share")
    cells = [[one[key] for key in keys] for line in told for one in line.get("reliability", ())]
    shown += "\n" + table("Probability of contradiction", ("from", "to", "claims", "mean", "are contradicted"), cells)
    return shown + "\n" + _buckets(next(line["buckets"] for line in lines if "buckets" in line))


def _buckets(counts: list[list[Any]]) -> str:
    given = sorted({bucket for _, bucket, _ in counts})
    found = {(wanted, bucket): count for wanted, bucket, count in counts}
    cells = [[wanted, *(found.get((wanted, one), 0) for one in given)] for wanted in sorted({row[0] for row in counts})]
    return table("Buckets of free answers", ("wanted", *(f"given: {one}" for one in given)), cells)
