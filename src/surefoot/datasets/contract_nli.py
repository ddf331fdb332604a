"""ContractNLI: what non-disclosure agreements say on seventeen points, with the words that say it.

An entailed hypothesis is a question with an answer, one that is not mentioned a question without, and a contradicted
one baits a wrong answer.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from msgspec import Struct

from surefoot.datasets.documents import Case, Document, Origin, Says, whole
from surefoot.text.parties import parties_in

ORIGIN = Origin(
    "contract-nli", "ContractNLI", "https://stanfordnlp.github.io/contract-nli/", "CC BY 4.0",
    "607 agreements, 11 MB", "an object with documents and labels",
    "contracts of train.json and dev.json trained the bundled grader and pipelines; those of test.json did not",
    ("test.json", "dev.json", "train.json"),
)  # fmt: skip
_OPENING = 2_500  # characters in which the parties are named
_ENDS = re.compile(r"[.;!?][\"'”’)]*$|;? (?:and|or)$")
_SHORT = 6  # words: shorter evidence is a heading, or the start of a list


class _Annotation(Struct):
    choice: Literal["Entailment", "Contradiction", "NotMentioned"]
    spans: list[int]


class _Annotations(Struct):
    annotations: dict[str, _Annotation]


class _Contract(Struct):
    id: int | str
    file_name: str
    text: str
    spans: list[tuple[int, int]]
    annotation_sets: list[_Annotations]


class _Label(Struct):
    hypothesis: str


class _File(Struct):
    documents: list[_Contract]
    labels: dict[str, _Label]


class Wording(Struct, frozen=True):
    question: str
    entailed: str
    contradicted: str
    near: str = ""


def read(path: Path) -> Iterator[Document]:
    file = whole(path, ORIGIN, _File)
    names = [called(contract.text, contract.file_name) for contract in file.documents]
    often = {name for name, count in Counter(names).items() if count > 1}
    for contract, name in zip(file.documents, names, strict=True):
        stem = _stem(contract.file_name)
        unique = f'{name} (file "{stem}")' if name in often else name
        title = f"{unique.removeprefix('the ')}" + ("" if stem in unique else f", file {stem}")
        cases = tuple(_cases(contract, file.labels, unique))
        yield Document(f"nda-{contract.id}", title, contract.text, cases)


def _cases(contract: _Contract, labels: Mapping[str, _Label], name: str) -> Iterator[Case]:
    given = contract.annotation_sets[0].annotations if contract.annotation_sets else {}
    for label, annotation in given.items():
        wording = wordings().get(label) or _plain(labels[label].hypothesis if label in labels else label)
        said = [contract.text[slice(*contract.spans[one])] for one in annotation.spans if one < len(contract.spans)]
        evidence = tuple(text for text in said if len(text.split()) >= _SHORT) or tuple(said)
        kind = _kind(annotation, given.get(wording.near))
        claim = {"answers": wording.entailed, "contradicts": wording.contradicted}.get(kind)
        question = wording.question.replace("{nda}", name)
        claims = (claim, *whole_sentences(said)) if claim else ()
        yield Case(f"{contract.id}-{label}", question, kind, label, claims, evidence if claim else ())


def whole_sentences(spans: Iterable[str]) -> Iterator[str]:
    """Spans are sentences or items of a list: what leads into a list goes with the item behind it."""
    begun = ""
    for span in spans:
        begun = f"{begun} {' '.join(span.split())}".strip()
        if _ENDS.search(begun) and len(begun.split()) >= _SHORT:
            yield begun
            begun = ""
    if len(begun.split()) >= _SHORT:
        yield begun


def _kind(annotation: _Annotation, near: _Annotation | None) -> Says:
    if annotation.choice != "NotMentioned":
        return "answers" if annotation.choice == "Entailment" else "contradicts"
    return "nearly" if near is not None and near.choice == "Entailment" else "silent"


@cache
def wordings() -> dict[str, Wording]:
    text = (files("surefoot") / "words" / "contract_nli.toml").read_text("utf-8")
    return {label: Wording(**given) for label, given in tomllib.loads(text).items()}


def _plain(hypothesis: str) -> Wording:
    """For a hypothesis that we do not know."""
    said = hypothesis.rstrip(". ")
    return Wording(f"Is this so under {{nda}}: {said}?", f"Yes. {said}.", f"No. It is not so that {said}.")


def called(text: str, file_name: str) -> str:
    """An agreement by its parties, as people do; by its file where the parties are blanks."""
    match parties_in(" ".join(text[:_OPENING].split()), text):
        case [first, second]:
            return f"the NDA between {first} and {second}"
        case [first]:
            return f"the NDA with {first}"
    return f'the NDA in the file "{_stem(file_name)}"'


def _stem(file_name: str) -> str:
    stem = re.sub(r"\.\w{2,4}$", "", unquote(file_name))
    return " ".join(re.sub(r"[\W_]+", " ", stem).split()) or "unnamed"
