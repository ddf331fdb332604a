"""Pairs are cut and padded as the product's encoder cuts them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from surefoot.graders import encoder
from training.pairs import CLAIM, LENGTH, Encoded, batches


@pytest.fixture(name="base")
def _base(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "<pad>": 1, "[SEP]": 2, "a": 3, "word": 4}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing("$A [SEP]", "$A [SEP] $B:1 [SEP]:1", [("[SEP]", 2)])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    return tmp_path


def test_limits_are_those_of_the_product() -> None:
    assert (LENGTH, CLAIM) == (encoder.LONGEST_PAIR, encoder.LONGEST_CLAIM)


def test_a_batch_is_padded_to_a_multiple_of_eight(base: Path) -> None:
    encoded = Encoded([("a", "word"), ("a", "word word word")], base)
    batch = encoded.batch(np.array([0, 1]))
    assert batch["input_ids"].tolist() == [[3, 2, 4, 2, 1, 1, 1, 1], [3, 2, 4, 4, 4, 2, 1, 1]]
    assert batch["attention_mask"].tolist() == [[1] * 4 + [0] * 4, [1] * 6 + [0] * 2]
    assert batch["token_type_ids"].tolist() == [[0, 0, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 0]]
    assert Encoded([("a", "word " * 5)], base).batch(np.array([0]))["input_ids"].shape == (1, 8)


def test_a_long_claim_leaves_room_for_the_passage(base: Path) -> None:
    encoded = Encoded([("word " * 300, "a " * 300)], base)
    ids = encoded.items[0][0].tolist()
    assert len(ids) == LENGTH and ids.count(4) == CLAIM and ids.count(3) == LENGTH - CLAIM - 2


def test_batches_hold_every_pair_once_with_like_lengths_and_one_passage_together() -> None:
    lengths, passages = np.array([10] * 50 + [200] * 50), np.arange(100) // 5
    found = batches(lengths, passages, 10, np.random.default_rng(1))
    assert sorted(np.concatenate(found).tolist()) == list(range(100))
    assert all(len(set(lengths[batch].tolist())) == 1 and len(set(passages[batch].tolist())) == 2 for batch in found)


def test_the_words_that_answer_are_found_beside_the_words_of_the_question(base: Path) -> None:
    passage = "a word " + "other " * 40 + "in that year word"
    encoded = Encoded([("in that year", passage), ("a", "word"), ("a", "word")], base, ["word", "", "gone"])
    assert encoded.spans == [(len(encoded.items[0][0]) - 2,) * 2, (0, 0), (0, 0)]
