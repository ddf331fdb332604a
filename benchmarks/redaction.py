"""How much personal data is taken out of texts, and how much of what only looks like it.

    python benchmarks/redaction.py [--show N]

150 of each kind and 150 look-alikes, by which the patterns were tuned; 60 and 60 in other forms and wordings, which
were written before the patterns were last changed and of which only totals are shown; and the sentences of
`data/redaction.txt`, written after it in as many ways as came to mind. Data is found where nothing of it is left.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

import redaction_aside
import redaction_values
from redaction_values import Chance, Made, Make
from surefoot.text.redaction import redact

EACH, ASIDE = 150, 60
SENTENCES = Path(__file__).parent / "data" / "redaction.txt"


def missed(made: Made) -> bool:
    """Whether a word or number of the secrets is left that the sentence around them does not have."""
    around = made.text
    for secret in made.secrets:
        around = around.replace(secret, " ")
    return bool((words(" ".join(made.secrets)) - words(around)) & words(redact(made.text)))


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]{2,}", text))


def is_taken(made: Made) -> bool:
    return redact(made.text) != made.text


def measure(kinds: dict[str, tuple[Make, Make]], each: int, chance: Chance, show: int) -> None:
    print("| kind | taken out | look-alikes taken | recall | precision |\n|---|---|---|---|---|")
    hits, wrong = 0, 0
    for kind, (make, alike) in kinds.items():
        left = [made for made in (make(chance) for _ in range(each)) if missed(made)]
        taken = [made for made in (alike(chance) for _ in range(each)) if is_taken(made)]
        for made in (*left[:show], *taken[:show]):
            print(repr(made.text), "->", repr(redact(made.text)))
        report(kind, each - len(left), len(taken), each)
        hits, wrong = hits + each - len(left), wrong + len(taken)
    report("all", hits, wrong, each * len(kinds))


def report(kind: str, hits: int, wrong: int, each: int) -> None:
    shares = f"{hits / each:.1%} | {hits / max(1, hits + wrong):.1%}"
    print(f"| {kind} | {hits} of {each} | {wrong} of {each} | {shares} |")


def written() -> dict[str, list[Made]]:
    """By kind; the personal data of each sentence stands in braces."""
    found = defaultdict[str, list[Made]](list)
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        kind, text = line.replace("\\n", "\n").split("\t")
        found[kind].append(Made(text.replace("{", "").replace("}", ""), tuple(re.findall(r"{(.*?)}", text))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=int, default=0, help="how many misses of each kind to print")
    chance = np.random.default_rng(18)
    measure(redaction_values.KINDS, EACH, chance, parser.parse_args().show)
    print("\nKept aside:\n")
    measure(redaction_aside.KINDS, ASIDE, chance, show=0)
    print("\nSentences:\n")
    for kind, texts in written().items():
        print(f"{kind}: {sum(not missed(made) for made in texts)} of {len(texts)}")


if __name__ == "__main__":
    main()
