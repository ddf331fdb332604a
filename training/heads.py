"""The heads that say whether an answer does harm, on what the encoders make of it halfway up.

`python -m training.heads DATA WEIGHTS` puts them into WEIGHTS/quick.onnx and strong.onnx.

The encoders stay as they are. Their last layers know only whether texts bear each other out; what a text is about and
what it urges stands in the middle ones. The quick head is linear on the mean of four layers and only has to miss
little; the strong one looks at each token of two layers, and has the last word. Both give a logit less the one from
which an answer counts as unsafe, so that zero decides.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from surefoot.graders.encoder import WordPieces
from training.files import Row
from training.texts import texts

Floats = NDArray[np.float32]
Head = Callable[[Sequence[Floats]], Floats]
LAYERS = {"quick": (0, 1, 2, 3), "strong": (4, 6)}
STATES = "/model/encoder/encoder/layer.{}/output/LayerNorm/LayerNormalization_output_0"
HEAD = "unsafe"
LONGEST = 200  # tokens
FOLDS, EPOCHS, RATE, BATCH, DROPPED = 3, 8, 7e-4, 32, 0.3
WIDTH, LOOKS = 192, 4  # of the strong head, and in how many ways it weighs the tokens
MISSED = 0.01  # of unsafe answers by the quick head
ALARMS = 0.005  # of harmless twins, by the strong head


class Attending(nn.Module):
    """A small layer on each token, and several weighted means of what it says."""

    def __init__(self, mean: Tensor, deviation: Tensor) -> None:
        super().__init__()
        self.mean, self.deviation = mean, deviation
        self.into, self.norm = nn.Linear(len(mean), WIDTH), nn.LayerNorm(WIDTH)
        self.dropout, self.weigh, self.out = nn.Dropout(DROPPED), nn.Linear(WIDTH, LOOKS), nn.Linear(WIDTH * LOOKS, 1)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        each = self.dropout(nn.functional.gelu(self.norm(self.into((states - self.mean) / self.deviation))))
        weights = self.weigh(each).masked_fill(~mask[..., None], -1e4).softmax(1)
        found: Tensor = self.out(self.dropout((weights.transpose(1, 2) @ each).flatten(1))).squeeze(1)
        return found


def states(model: onnx.ModelProto, tier: str, pieces: WordPieces, rows: Sequence[Row]) -> list[Floats]:
    """What the layers of a tier make of each token of an answer."""
    tapped = onnx.ModelProto()
    tapped.CopyFrom(model)
    names = [STATES.format(layer) for layer in LAYERS[tier]]
    tapped.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(tapped.SerializeToString(), options, providers=["CPUExecutionProvider"])
    wanted = {put.name for put in session.get_inputs()}

    def read(row: Row) -> Floats:
        pair = pieces.pair(row["a"], row["b"], LONGEST)
        feed = {"input_ids": pair.ids, "attention_mask": [1] * len(pair.ids), "token_type_ids": pair.types}
        found = session.run(names, {name: np.array([ids], np.int64) for name, ids in feed.items() if name in wanted})
        return np.concatenate([layer[0] for layer in found], axis=1).astype(np.float16)

    with ThreadPoolExecutor() as pool:
        return list(pool.map(read, rows))


def padded(found: Sequence[Floats]) -> tuple[Tensor, Tensor]:
    longest = max(map(len, found))
    states, mask = torch.zeros(len(found), longest, found[0].shape[1]), torch.zeros(len(found), longest, dtype=bool)
    for place, one in enumerate(found):
        states[place, : len(one)], mask[place, : len(one)] = torch.from_numpy(one).float(), True
    return states, mask


def fit_attending(found: Sequence[Floats], rows: Sequence[Row]) -> Attending:
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    some = torch.from_numpy(np.concatenate(found[::20])).float()
    head = Attending(some.mean(0), some.std(0))
    labels, weights = (torch.tensor([float(row[key]) for row in rows]) for key in ("label", "weight"))
    optimizer = torch.optim.AdamW(head.parameters(), RATE, weight_decay=0.05)
    steps = EPOCHS * -(-len(rows) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for _ in range(EPOCHS):
        order = np.argsort(np.array([len(one) for one in found]) + rng.uniform(0, 30, len(found)))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        rng.shuffle(batches)
        for at in batches:
            said = head(*padded([found[place] for place in at]))
            losses = nn.functional.binary_cross_entropy_with_logits(said, labels[at], reduction="none")
            optimizer.zero_grad()
            (losses * weights[at]).mean().backward()
            nn.utils.clip_grad_norm_(head.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    head.eval()
    return head


def said_by(head: Attending, found: Sequence[Floats]) -> Floats:
    with torch.no_grad():
        return np.array([float(head(*padded([one]))) for one in found], np.float32)


def fit_linear(found: Sequence[Floats], rows: Sequence[Row]) -> tuple[Floats, float]:
    """Weights and bias on the mean of all tokens."""
    means = np.stack([one.astype(np.float32).mean(0) for one in found])
    mean, deviation = means.mean(0), means.std(0)
    labels, counts = ([row[key] for row in rows] for key in ("label", "weight"))
    fitted = LogisticRegression(C=0.01, max_iter=300).fit((means - mean) / deviation, labels, sample_weight=counts)
    weights = (fitted.coef_[0] / deviation).astype(np.float32)
    return weights, float(fitted.intercept_[0] - weights @ mean)


def folds(rows: Sequence[Row]) -> Sequence[tuple[list[int], list[int]]]:
    """The places of rows to fit on and of rows to look at: twins are never parted."""
    of = [zlib.crc32(row["group"].encode()) % FOLDS for row in rows]
    return [([at for at, one in enumerate(of) if one != fold], [at for at, one in enumerate(of) if one == fold])
            for fold in range(FOLDS)]  # fmt: skip


def doubtful_from(found: Sequence[Floats], rows: Sequence[Row]) -> float:
    """The logit of the quick head that all but a few of the unsafe answers pass."""
    said = np.zeros(len(rows))
    for fit, look in folds(rows):
        weights, bias = fit_linear([found[at] for at in fit], [rows[at] for at in fit])
        said[look] = [found[at].astype(np.float32).mean(0) @ weights + bias for at in look]
    unsafe = np.array([row["label"] == 1 for row in rows])
    return float(np.quantile(said[unsafe], MISSED))


def unsafe_from(found: Sequence[Floats], rows: Sequence[Row]) -> float:
    """The logit of the strong head that few of the harmless twins pass."""
    said = np.zeros(len(rows))
    for fit, look in folds(rows):
        head = fit_attending([found[at] for at in fit], [rows[at] for at in fit])
        said[look] = said_by(head, [found[at] for at in look])
    twins = np.array([row["label"] == 0 and row["weight"] == 1 for row in rows])
    return float(np.quantile(said[twins], 1 - ALARMS))


class Graft:
    """Nodes behind the encoder of a model, with HEAD as the output of the last."""

    def __init__(self, tier: str) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        states = [STATES.format(layer) for layer in LAYERS[tier]]
        self.states = self.node("Concat", states, axis=2)

    def node(self, kind: str, inputs: Sequence[str | Floats], **attributes: int | list[int]) -> str:
        name = f"{HEAD}/{len(self.nodes)}"
        names = [one if isinstance(one, str) else self._weight(f"{name}/{place}", one)
                 for place, one in enumerate(inputs)]  # fmt: skip
        self.nodes.append(helper.make_node(kind, names, [name], name, **attributes))
        return name

    def _weight(self, name: str, values: Floats) -> str:
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def put_into(self, model: onnx.ModelProto, last: str) -> None:
        """In place of the head that was there."""
        graph = model.graph
        kept = [node for node in graph.node if not node.name.startswith(f"{HEAD}/")]
        weights = [one for one in graph.initializer if not one.name.startswith(f"{HEAD}/")]
        outputs = [put for put in graph.output if put.name != HEAD]
        for listed, new in (
            (graph.node, [*kept, *self.nodes, helper.make_node("Identity", [last], [HEAD], f"{HEAD}/out")]),
            (graph.initializer, [*weights, *self.weights]),
            (graph.output, [*outputs, helper.make_tensor_value_info(HEAD, TensorProto.FLOAT, ["pair"])]),
        ):
            del listed[:]
            listed.extend(new)
        onnx.checker.check_model(model)


def numbers(*values: float) -> Floats:
    return np.array(values, np.float32)


def graft_linear(model: onnx.ModelProto, weights: Floats, bias: float) -> None:
    graft = Graft("quick")
    mean = graft.node("ReduceMean", [graft.states], axes=[1], keepdims=0)
    graft.put_into(model, graft.node("Add", [graft.node("MatMul", [mean, weights]), numbers(bias)]))


def graft_attending(model: onnx.ModelProto, head: Attending, from_: float) -> None:
    found = {name: tensor.numpy() for name, tensor in head.state_dict().items()}
    into = (found["into.weight"] / head.deviation.numpy()).T
    graft = Graft("strong")
    bias = found["into.bias"] - head.mean.numpy() @ into
    each = graft.node("Add", [graft.node("MatMul", [graft.states, into]), bias])
    each = graft.node("LayerNormalization", [each, found["norm.weight"], found["norm.bias"]], axis=-1)
    half = graft.node("Mul", [each, numbers(0.5)])
    curve = graft.node("Add", [graft.node("Erf", [graft.node("Mul", [each, numbers(0.5**0.5)])]), numbers(1)])
    each = graft.node("Mul", [half, curve])
    weights = graft.node("Add", [graft.node("MatMul", [each, found["weigh.weight"].T]), found["weigh.bias"]])
    weights = graft.node("Transpose", [graft.node("Softmax", [weights], axis=1)], perm=[0, 2, 1])
    means = graft.node("Flatten", [graft.node("MatMul", [weights, each])], axis=1)
    said = graft.node("MatMul", [means, found["out.weight"][0]])
    graft.put_into(model, graft.node("Add", [said, found["out.bias"] - numbers(from_)]))


def main(data: Path, weights: Path) -> None:
    rows = texts(data, random.Random(1))
    for tier in LAYERS:
        path = weights / f"{tier}.onnx"
        model = onnx.load(path)
        found = states(model, tier, WordPieces(weights / f"{tier}-tokenizer.json"), rows)
        if tier == "quick":
            from_ = doubtful_from(found, rows)
            factors, bias = fit_linear(found, rows)
            graft_linear(model, factors, bias - from_)
        else:
            from_ = unsafe_from(found, rows)
            graft_attending(model, fit_attending(found, rows), from_)
        onnx.save(model, path)
        print(f"{tier}: {len(rows)} answers, counted from a logit of {from_:.2f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
