"""Attention in one kernel, for training: the same numbers in less of a GPU's time and memory.

The graph that is exported keeps the plain attention of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

_LEAST = -1e4  # as good as minus infinity, in every precision
_KERNELS = [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]  # others give no gradient for distances


def fuse(encoder: nn.Module) -> Callable[[], None]:
    """Give an MPNet one kernel per attention (others come with it); what is returned takes that back."""
    layers = [module for module in encoder.modules() if type(module).__name__ == "MPNetSelfAttention"]
    stacks = [module for module in encoder.modules() if hasattr(module, "compute_position_bias")]
    for module in layers:
        module.forward = MethodType(_attend, module)
    for module in stacks:
        module.compute_position_bias = MethodType(_distances, module)  # type: ignore[assignment, unused-ignore]

    def undo() -> None:
        for module in layers:
            del module.forward
        for module in stacks:
            del module.compute_position_bias

    return undo


def _distances(self: Any, states: Tensor) -> Tensor:  # noqa: ANN401
    """What the distance of two tokens adds to their score, once for all pairs of a batch."""
    places = torch.arange(states.shape[1], device=states.device)
    buckets = self.relative_position_bucket(places[None, :] - places[:, None])
    found: Tensor = self.relative_attention_bias(buckets).permute(2, 0, 1)[None]
    return found


def _attend(
    self: Any,  # noqa: ANN401
    hidden_states: Tensor,
    attention_mask: Tensor | None,  # none where all pairs of a batch are equally long
    position_bias: Tensor,
    output_attentions: bool = False,  # noqa: ARG001
    **_: object,
) -> tuple[Tensor]:
    shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
    query, key, value = (layer(hidden_states).view(shape).transpose(1, 2) for layer in (self.q, self.k, self.v))
    added = position_bias.to(query.dtype)
    if attention_mask is not None:
        added = added + attention_mask.clamp(min=_LEAST).to(query.dtype)
    added = added.expand(len(query), -1, -1, -1).contiguous()
    dropped = self.dropout.p if self.training else 0.0
    with sdpa_kernel(_KERNELS):
        found = F.scaled_dot_product_attention(query, key, value, added, dropped)
    return (self.o(found.transpose(1, 2).flatten(2)),)
