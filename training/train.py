"""Training one tier on a GPU (or, slowly, without one).

`python -m training.train BASE ROWS.jsonl.gz OUT --epochs 3 --rate 4e-5 [--teacher LOGITS.npy]`
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.files import Row, read_all
from training.fused import fuse
from training.losses import FROM_SPANS, FROM_TEACHER, FROM_TWINS, from_labels, from_spans, from_teacher, from_twins
from training.network import TwoHeads, build, device, save
from training.pairs import Encoded, Ints, batches, takes_types

LABELS = {"supported": 0, "contradicted": 1, "not_enough": 2, "unsupported": 3}


class Lesson:
    """The rows of a training as tensors."""

    def __init__(self, rows: list[Row], base: Path, teacher: Path | None) -> None:
        said = [row.get("said", "") for row in rows]
        self.encoded = Encoded([(row["a"], row["b"]) for row in rows], base, said)
        self.spans = torch.tensor(self.encoded.spans)
        self.asked = torch.tensor([isinstance(row["label"], int) for row in rows])
        self.labels = torch.tensor([LABELS.get(row["label"], row["label"]) for row in rows])
        self.pointed = self.asked & ((self.labels == 0) | (self.spans[:, 1] > 0))  # rows whose place is known
        numbers: dict[str, int] = {}
        self.passages = torch.tensor([numbers.setdefault(row["b"], len(numbers)) for row in rows])
        self.weights = torch.tensor([float(row["weight"]) for row in rows])
        self.taught = torch.from_numpy(np.load(teacher)).float() if teacher else None
        if self.taught is not None and len(self.taught) != len(rows):
            raise ValueError(f"{teacher}: {len(self.taught)} rows of logits for {len(rows)} rows")

    def loss(self, model: TwoHeads, places: Ints) -> Tensor:
        at = torch.from_numpy(places)
        support, answers, span, mask = outputs(model, self.encoded, places)
        asked, labels, weights = (sent(values[at]) for values in (self.asked, self.labels, self.weights))
        loss = from_labels(support, answers, labels, asked, weights)
        loss = loss + FROM_SPANS * from_spans(span, sent(self.spans[at]), mask, sent(self.pointed[at]))
        if self.taught is None:
            return loss + FROM_TWINS * from_twins(support, labels, asked, sent(self.passages[at]))
        return (1 - FROM_TEACHER) * loss + FROM_TEACHER * from_teacher(support, answers, sent(self.taught[at]), asked)


def outputs(model: TwoHeads, encoded: Encoded, places: Ints) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the heads say of some pairs, and which tokens are theirs; in bfloat16 on a GPU."""
    on = device()
    inputs = {name: sent(torch.from_numpy(ids)) for name, ids in encoded.batch(places).items()}
    with torch.autocast(on, dtype=torch.bfloat16, enabled=on == "cuda"):
        support, answers, span = model.read(**inputs)
    return support, answers, span, inputs["attention_mask"]


def sent(values: Tensor) -> Tensor:
    """To the GPU, if there is one, without waiting for it."""
    return values.pin_memory().to("cuda", non_blocking=True) if device() == "cuda" else values


def train(args: argparse.Namespace) -> TwoHeads:
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    lesson = Lesson(read_part(args.rows, args.limit), args.base, args.teacher)
    model = quickened(args.base, lesson)
    rng = np.random.default_rng(args.seed)
    sizes = lesson.encoded.lengths, lesson.passages.numpy(), args.batch
    plan = [batch for _ in range(args.epochs) for batch in batches(*sizes, rng)]
    learning = [weights for name, weights in model.named_parameters() if not _below(name, args.frozen)]
    for name, weights in model.named_parameters():
        weights.requires_grad_(not _below(name, args.frozen))
    optimizer = torch.optim.AdamW(learning, lr=args.rate, weight_decay=0.01, fused=device() == "cuda")
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, args.rate, total_steps=len(plan) + 1, pct_start=0.06, anneal_strategy="linear", div_factor=25
    )
    model.train()
    started = time.monotonic()
    for step, places in enumerate(plan):
        loss = lesson.loss(model, places)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}/{len(plan)} loss {float(loss):.3f} {time.monotonic() - started:.0f} s", flush=True)
    return model


def _below(name: str, layers: int) -> bool:
    """Whether a weight belongs to what is left as it is: the first layers, and all that comes before them."""
    if not layers or not name.startswith("encoder."):
        return False
    found = re.match(r"encoder\.encoder\.layer\.(\d+)\.", name)
    return found is None or int(found[1]) < layers


def quickened(base: Path, lesson: Lesson) -> TwoHeads:
    """With attention in one kernel, if that says what plain attention says on this machine."""
    model = build(base, "sdpa" if takes_types(base) else "eager")
    undo = fuse(model.encoder)
    places = np.argsort(lesson.encoded.lengths)[-8:]
    try:
        lesson.loss(model, places).backward()
        model.eval()
        fused = outputs(model, lesson.encoded, places)[0].float()
        undo()
        plain = outputs(model, lesson.encoded, places)[0].float()
        apart = float((fused - plain).detach().abs().max())
        whole = all(bool(p.grad.isfinite().all()) for p in model.parameters() if p.grad is not None)
        good = apart < 0.05 and whole
        print(f"attention in one kernel: {'used' if good else 'not used'}, {apart:.4f} from plain", flush=True)
    except RuntimeError as error:
        good = False
        print(f"attention in one kernel: not used, {error}", flush=True)
    model.zero_grad(set_to_none=True)
    if not good:
        return build(base)
    fuse(model.encoder)
    return model


def read_part(path: Path, limit: int = 0, part: str = "train") -> list[Row]:
    rows = [row for row in read_all(path) if row["part"] == part]
    if limit:
        random.Random(0).shuffle(rows)
    return rows[: limit or None]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frozen", type=int, default=0, help="how many of the first layers stay as they are")
    parser.add_argument("--limit", type=int, default=0, help="only so many rows, for a trial")
    parser.add_argument("--teacher", type=Path, help="logits of a teacher over the same rows")
    return parser.parse_args()


if __name__ == "__main__":
    chosen = arguments()
    save(train(chosen).state_dict(), chosen.base, chosen.out)
