"""The cross-encoder: a small pretrained encoder with two heads over its first token and its mean."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel

TRAINED = "trained.pt"
FRESH = ("support.", "answers.", "span.")  # what a base does not have
BESIDE = ("config.json", "tokenizer.json")  # files that go along with the weights


class TwoHeads(nn.Module):
    """`support`: supported, contradicted, not enough. `answers`: does the passage answer the question.

    `span` is there only to be trained: to point at the words that answer teaches to tell whether there are any.
    """

    def __init__(self, encoder: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(0.1)
        self.support = nn.Linear(2 * width, 3)
        self.answers = nn.Linear(2 * width, 1)
        self.span = nn.Linear(width, 2)

    def forward(self, **inputs: Tensor) -> tuple[Tensor, Tensor]:
        return self.read(**inputs)[:2]

    def read(self, **inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What both heads say, and for each token how much the answer seems to begin and to end there."""
        states = self.encoder(**inputs).last_hidden_state
        mask = inputs["attention_mask"].unsqueeze(-1).to(states.dtype)
        mean = (states * mask).sum(1) / mask.sum(1)
        both = self.dropout(torch.cat([states[:, 0], mean], dim=-1))
        return self.support(both), self.answers(both), self.span(self.dropout(states))


def build(base: Path, attention: str = "eager") -> TwoHeads:
    """A base with fresh heads, or what a training left in a folder; on the GPU if there is one."""
    config = AutoConfig.from_pretrained(base)
    encoder = AutoModel.from_config(config, attn_implementation=attention)
    encoder.pooler = None
    model = TwoHeads(encoder, config.hidden_size)
    missing, unexpected = model.load_state_dict(_state(base), strict=False)
    if unexpected or any(not name.startswith(FRESH) for name in missing):
        raise ValueError(f"{base}: weights do not fit: missing {missing[:5]}, unexpected {unexpected[:5]}")
    return model.to(device())  # type: ignore[no-any-return, unused-ignore]


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _state(base: Path) -> dict[str, Tensor]:
    if (base / TRAINED).exists():
        trained: dict[str, Tensor] = torch.load(base / TRAINED, weights_only=True, map_location="cpu")
        return {name: value.float() for name, value in trained.items()}
    found = load_file(base / "model.safetensors")
    kept = {name.removeprefix("mpnet.").removeprefix("bert."): value for name, value in found.items()}
    return {
        f"encoder.{name}": value.float()
        for name, value in kept.items()
        if not name.startswith(("pooler", "lm_head", "cls")) and not name.endswith("position_ids")
    }


def save(weights: dict[str, Tensor], base: Path, out: Path) -> None:
    """Half precision is enough to ship and to go on from."""
    out.mkdir(parents=True, exist_ok=True)
    torch.save({name: value.half().cpu() for name, value in weights.items()}, out / TRAINED)
    for name in BESIDE:
        (out / name).write_bytes((base / name).read_bytes())
