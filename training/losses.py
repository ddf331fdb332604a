"""What a training makes small: distance from labels, and from a teacher."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

SMOOTH = 0.03
HEAT = 2.0
FROM_TEACHER = 0.7
FROM_SPANS = 0.3
FROM_TWINS = 0.3
APART = 3.0  # by how much a claim that holds should lie above one that does not, over the same passage
EITHER = 3  # the label "unsupported": contradicted or not enough


def from_labels(support: Tensor, answers: Tensor, labels: Tensor, is_answers: Tensor, weights: Tensor) -> Tensor:
    """Three-way where the kind is known; where only "not supported" is known, the other two count together."""
    logs = F.log_softmax(support.float(), dim=-1)
    known = labels.clamp(0, 2)
    exact = -(1 - SMOOTH) * logs.gather(1, known[:, None])[:, 0] - SMOOTH * logs.mean(-1)
    either = -torch.logsumexp(logs[:, 1:], dim=-1)
    asked = F.binary_cross_entropy_with_logits(
        answers[:, 0].float(), labels.clamp(0, 1).float() * (1 - SMOOTH) + SMOOTH / 2, reduction="none"
    )
    each = torch.where(is_answers, asked, torch.where(labels == EITHER, either, exact))
    return (each * weights).sum() / weights.sum()


def from_spans(span: Tensor, spans: Tensor, mask: Tensor, known: Tensor) -> Tensor:
    """How far from where the answer begins and ends; a passage that does not answer points at its first token."""
    scores = span.float().masked_fill(mask[:, :, None] == 0, -1e4)
    begins, ends = (F.cross_entropy(scores[:, :, end], spans[:, end], reduction="none") for end in (0, 1))
    return ((begins + ends) * known).sum() / (2 * known.sum().clamp(min=1))  # no choice that a GPU would be waited for


def from_teacher(support: Tensor, answers: Tensor, taught: Tensor, is_answers: Tensor) -> Tensor:
    """How far a student is from its teacher, for the head that a row is about."""
    soft = F.softmax(taught[:, :3] / HEAT, dim=-1)
    apart = -(soft * F.log_softmax(support.float() / HEAT, dim=-1)).sum(-1) * HEAT * HEAT
    asked = F.binary_cross_entropy_with_logits(
        answers[:, 0].float() / HEAT, torch.sigmoid(taught[:, 3] / HEAT), reduction="none"
    ) * (HEAT * HEAT)
    return torch.where(is_answers, asked, apart).mean()


def from_twins(support: Tensor, labels: Tensor, is_answers: Tensor, passages: Tensor) -> Tensor:
    """How far claims that hold and claims that do not, over the same passage, fall short of being apart."""
    logs = F.log_softmax(support.float(), dim=-1)
    odds = logs[:, 0] - torch.logsumexp(logs[:, 1:], dim=-1)
    holds, fails = ~is_answers & (labels == 0), ~is_answers & (labels != 0)
    twins = holds[:, None] & fails[None, :] & (passages[:, None] == passages[None, :])
    short = F.softplus(APART - (odds[:, None] - odds[None, :]))
    return (short * twins).sum() / twins.sum().clamp(min=1)
