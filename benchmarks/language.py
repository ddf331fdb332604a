"""Which short answers are taken for another language, and which English ones are turned away by mistake.

python benchmarks/language.py                  # the texts in data/short_answers.toml
python benchmarks/language.py --data FOLDER    # and short answers of public data, which are English
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from surefoot.text.normal import unreadable

HERE = Path(__file__).parent
MOST_WORDS = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder with qa.jsonl.gz and answers.jsonl.gz")
    folder = parser.parse_args().data
    texts = tomllib.loads((HERE / "data" / "short_answers.toml").read_text("utf-8"))
    for name, lists in texts.items():
        for part, first in (("development", 0), ("held out", 1)):
            show(f"{name}, {part}", [text for written in lists.values() for text in written[first::2]])
    for file, field in (("qa.jsonl.gz", "gold_answer"), ("answers.jsonl.gz", "answer")) if folder else ():
        show(f"English, {file}", short_texts(folder / file, field))


def short_texts(path: Path, field: str) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        values = [json.loads(line)[field] for line in file]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return sorted({text for text in texts if text and len(text.split()) <= MOST_WORDS})


def show(name: str, texts: Sequence[str]) -> None:
    unreadable("Die Frist beträgt 6 Monate")  # the model is loaded once
    start = time.perf_counter()
    foreign = [text for text in texts if unreadable(text) == "not English"]
    each = (time.perf_counter() - start) / len(texts)
    print(f"{name}: {len(foreign)} of {len(texts)} taken for another language, {each * 1e6:.0f} us each")


if __name__ == "__main__":
    main()
