from __future__ import annotations

import copy
import json

import pytest
from anthropic import transform_schema
from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.dialects import Answer, AnthropicDialect, Manner, OpenAiDialect, adapted, named_limit
from surefoot.models.failures import CallFailed
from surefoot.models.replies import read, reminded
from surefoot.models.seam import Prompt, Settings
from tests.models.schemas import VERDICT, asking

CHAT, MESSAGES = OpenAiDialect(), AnthropicDialect(transform_schema)
PLAIN, COLD = Settings(temperature=None), Settings()


def test_what_a_request_holds() -> None:
    body = CHAT.body("m", Prompt("hi", "be kind", VERDICT), Manner(), COLD)
    assert body["messages"] == [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}]
    shape = body["response_format"]["json_schema"]
    assert (shape["name"], shape["strict"], shape["schema"]["required"]) == ("verdict", True, ["verdict", "score"])
    assert shape["schema"]["properties"]["score"] == {"type": "integer", "enum": list(range(11))}
    assert body["max_tokens"] == 1_024 and body["temperature"] == 0.0
    plain = CHAT.body("m", Prompt("hi"), Manner(temperature=False, switched=True, stream=False), COLD)
    assert set(plain) == {"model", "messages", "max_completion_tokens"}


def test_a_schema_that_is_not_strict_is_not_called_so() -> None:
    loose = {"type": "object", "properties": {"a": {"type": "string"}}}
    body = CHAT.body("m", Prompt("hi", schema=loose), Manner(), PLAIN)
    assert body["response_format"]["json_schema"]["strict"] is False
    assert body["response_format"]["json_schema"]["name"] == "reply" and "temperature" not in body


@pytest.mark.parametrize("dialect", [CHAT, MESSAGES])
def test_without_server_side_schemas_the_prompt_holds_it(dialect: OpenAiDialect | AnthropicDialect) -> None:
    body = dialect.body("m", asking("hi"), Manner(how="text"), COLD)
    assert "response_format" not in body and "output_config" not in body
    assert '"enum":["yes","no"]' in body["messages"][-1]["content"]


def test_anthropic_gets_a_schema_that_it_takes_and_ours_stays_as_it_was() -> None:
    before = copy.deepcopy(VERDICT)
    body = MESSAGES.body("m", Prompt("hi", "be kind", VERDICT), Manner(), Settings(temperature=2.0))
    sent = body["output_config"]["format"]["schema"]
    assert before == VERDICT and "minimum" not in sent["properties"]["score"]
    assert body["system"] == "be kind" and "temperature" not in body
    for inner in ({}, {"type": ["integer", "null"]}):
        with pytest.raises(CallFailed) as raised:
            MESSAGES.body("m", Prompt("hi", schema={"type": "object", "properties": {"a": inner}}), Manner(), PLAIN)
        assert raised.value.kind == "rejected"


def test_half_characters_are_sent_as_replacements() -> None:
    for dialect in (CHAT, MESSAGES):
        body = dialect.body("m", Prompt("a\ud800b", "\udfff"), Manner(), COLD)
        json.dumps(body, ensure_ascii=False).encode()
        assert body["messages"][-1]["content"] == "a\ufffdb"


def test_what_replies_hold() -> None:
    chat = {"choices": [{"message": {"content": "hi"}, "finish_reason": "length"}], "usage": {"prompt_tokens": 3}}
    assert CHAT.answer(json.dumps(chat).encode()) == Answer("hi", 3, None, True)
    parts = {"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]}
    assert CHAT.answer(json.dumps(parts).encode()).text == "ab"
    refused = {"choices": [{"message": {"content": None, "refusal": "I cannot"}}]}
    assert CHAT.answer(json.dumps(refused).encode()).refusal == "I cannot"
    usage = {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 4}
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}]
    messages = {"content": content, "stop_reason": "max_tokens", "usage": usage}
    assert MESSAGES.answer(json.dumps(messages).encode()) == Answer("x", 5, 2, True)


@pytest.mark.parametrize("count", [-1, 1.5, "3", True, 10_000_001, 2**70, 10**400])
def test_what_is_no_count_of_tokens_is_not_known(count: object) -> None:
    chat = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": count, "completion_tokens": 1}}
    assert CHAT.answer(json.dumps(chat).encode()) == Answer("x", None, 1)
    for usage in ({"input_tokens": count}, {"input_tokens": 1, "cache_read_input_tokens": count}):
        messages = {"content": [{"type": "text", "text": "x"}], "usage": usage}
        assert MESSAGES.answer(json.dumps(messages).encode()) == Answer("x")


@given(st.binary(max_size=100))
def test_what_is_no_reply_fails_as_one_that_may_pass(data: bytes) -> None:
    for dialect in (CHAT, MESSAGES):
        with pytest.raises(CallFailed) as raised:
            dialect.answer(data)
        assert raised.value.kind == ("page" if data.decode(errors="replace").lstrip().startswith("<") else "passing")


@pytest.mark.parametrize(
    ("reason", "cut"),
    [("stop", False), ("STOP", False), ("eos", False), (None, False), ("tool_calls", False), ("length", True),
     ("model_length", True), ("MAX_TOKENS", True), ("insufficient_system_resource", None), ("error", None),
     ("whatever", None)],
)  # fmt: skip
def test_why_a_model_stopped(reason: str | None, cut: bool | None) -> None:
    chat = {"choices": [{"message": {"content": "The fee is not"}, "finish_reason": reason}]}
    messages = {"content": [{"type": "text", "text": "The fee is not"}], "stop_reason": reason}
    for dialect, content in ((CHAT, chat), (MESSAGES, messages)):
        if cut is not None:
            assert dialect.answer(json.dumps(content).encode()).cut is cut
            continue
        with pytest.raises(CallFailed) as raised:
            dialect.answer(json.dumps(content).encode())
        assert raised.value.kind == "passing" and str(reason) in raised.value.message


def test_an_error_in_place_of_a_reply() -> None:
    with pytest.raises(CallFailed) as raised:
        CHAT.answer(b'{"error": "Unexpected endpoint or method. (POST /chat/completions)"}')
    assert raised.value.kind == "hopeless" and "a reply: Unexpected endpoint" in raised.value.message
    with pytest.raises(CallFailed) as raised:
        CHAT.answer(b'{"error": {"message": "slow down", "code": 429}}')
    assert raised.value.kind == "busy"


def test_what_a_server_rejects_is_left_out() -> None:
    manner = adapted(Manner(), "temperature is not supported", CHAT, True)
    assert manner == Manner(temperature=False)
    manner = adapted(manner, "use 'max_completion_tokens' instead of max_tokens", CHAT, True)
    assert manner is not None and "max_completion_tokens" in CHAT.body("m", Prompt("hi"), manner, COLD)
    manner = adapted(manner, "response_format is unknown", CHAT, True)
    assert manner is not None and manner.how == "json_object"
    manner = adapted(manner, "bad request", CHAT, True)
    assert manner is not None and (manner.how, manner.concessions) == ("text", 4)
    assert adapted(manner, "bad request", CHAT, True) is None
    assert adapted(Manner(), "bad request", CHAT, False) is None
    assert adapted(Manner(room=2), "this exceeds the context length", CHAT, True) is None
    assert adapted(Manner(), "no output_config", MESSAGES, True) == Manner(how="text")


@given(st.lists(st.sampled_from(["temperature", "max_tokens", "what?", "schema"]), min_size=6, max_size=12))
def test_concessions_come_to_an_end(messages: list[str]) -> None:
    manner: Manner | None = Manner()
    for message in messages:
        before = manner
        manner = adapted(before, message, CHAT, True) if before else None
        assert manner is None or before is None or manner.concessions > before.concessions
    assert manner is None


@pytest.mark.parametrize(
    ("said", "asked", "most"),
    [
        ("HTTP 400: max_tokens is too large: 8704. This model supports at most 4096 completion tokens", 8704, 4096),
        ("HTTP 400: max_tokens: 9216 > 8192, which is the maximum allowed for claude-3-20240307", 9216, 8192),
        ("HTTP 400: Invalid max_tokens value, the valid range of max_tokens is [1, 8,192]", 9216, 8192),
        ("HTTP 400: `max_tokens` must be less than or equal to `8192`, less than the `context_window`", 9216, 8192),
        ("HTTP 400: maxOutputTokens is 9216 but the range is from 1 (inclusive) to 8193 (exclusive)", 9216, 8192),
        ("HTTP 402: more credits, or fewer max_tokens. You requested 8704, but can only afford 300.", 8704, 300),
        ("HTTP 400: max_tokens is too large", 8704, None),
        ("HTTP 400: max_tokens is too large: at most 4096", 4096, None),
        ("HTTP 400: 'max_tokens' is too large: 9216. The maximum context length is 4096 tokens", 9216, None),
        ("HTTP 400: 'max_tokens' is not supported with gpt-5000, use 'max_completion_tokens'", 9216, None),
    ],
)
def test_the_limit_that_a_server_names_is_asked_for(said: str, asked: int, most: int | None) -> None:
    assert named_limit(said.lower(), asked) == most
    manner = adapted(Manner(), said, CHAT, True, asked)
    assert manner is not None and manner.most == most


def test_room_to_think_is_given_up_where_there_is_none() -> None:
    said = "'max_tokens' is too large: 9216. This model's maximum context length is 4096 tokens"
    first = adapted(Manner(), said, CHAT, True)
    second = adapted(first or Manner(), "max_tokens: 9216 > 8192, which is the maximum allowed", MESSAGES, True)
    assert first == Manner(room=1) and second == Manner(room=2) and second.concessions == 2
    assert [manner.room_to_think(8_192) for manner in (Manner(), first, second)] == [8_192, 2_048, 0]
    assert adapted(Manner(), "unknown field stream_options", CHAT, True) == Manner(stream=False)


def test_effort_is_passed_on() -> None:
    assert CHAT.body("m", Prompt("hi"), Manner(), Settings(effort="low"))["reasoning_effort"] == "low"
    config = MESSAGES.body("m", asking("hi"), Manner(), Settings(effort="max"))["output_config"]
    assert config["effort"] == "max" and config["format"]["type"] == "json_schema"
    assert "output_config" not in MESSAGES.body("m", Prompt("hi"), Manner(), COLD)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<think>{"a": 1}\nhm</think>\n\nSixty days.', "Sixty days."),
        (" <thinking>hm</thinking>Sixty.", "Sixty."),
        ("It says 60.\n</think>\n\nSixty days.", "Sixty days."),
        ("<think>never ends", ""),
        ("<think></think>", ""),
        ("The tag <think> opens it, </think> ends it.", "The tag <think> opens it, </think> ends it."),
        ("See </think> there", "See </think> there"),
        ("", ""),
    ],
)
def test_what_a_model_thinks_aloud_is_not_its_answer(text: str, said: str) -> None:
    chat = {"choices": [{"message": {"content": text, "reasoning_content": "hm"}, "finish_reason": "stop"}]}
    assert CHAT.answer(json.dumps(chat).encode()).text == said
    messages = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    assert MESSAGES.answer(json.dumps(messages).encode()).text == said


def sse(*events: object) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\r\n\r\n" for event in events)


def test_a_reply_in_pieces_is_put_together() -> None:
    pieces = [{"choices": [{"delta": {"role": "assistant", "content": None, "reasoning_content": "hm"}}]},
              {"choices": [{"delta": {"content": "Sixty "}}]}, {"choices": [{"delta": {"content": "days."}}]},
              {"choices": [{"delta": {}, "finish_reason": "length"}]},
              {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}}]  # fmt: skip
    assert CHAT.answer(b": hello\n\n" + sse(*pieces) + b"data: [DONE]\n") == Answer("Sixty days.", 3, 5, True)
    events = [{"type": "message_start", "message": {"usage": {"input_tokens": 4, "output_tokens": 1}}},
              {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
              {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
              {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Sixty days."}},
              {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
               "usage": {"output_tokens": 9}}]  # fmt: skip
    assert MESSAGES.answer(sse(*events)) == Answer("Sixty days.", 4, 9)
    for dialect, broken in ((CHAT, sse(*pieces[:3])), (MESSAGES, sse(*events[:4])), (CHAT, b"data: {\n")):
        with pytest.raises(CallFailed, match="broke off") as raised:
            dialect.answer(broken)
        assert raised.value.kind == "passing" and raised.value.maybe_paid
    with pytest.raises(CallFailed, match="slow down") as raised:
        CHAT.answer(sse(pieces[1], {"error": {"message": "slow down", "code": 429}}))
    assert raised.value.kind == "busy"


def test_reading() -> None:
    aloud = '<think>{"verdict": "no", "score": 1}</think>{"verdict": "yes", "score": 2}'
    asked = asking("hi")
    assert read(Answer(aloud), asked).value == {"verdict": "yes", "score": 2}
    assert read(Answer("hi"), Prompt("hi")) == (None, "")
    assert read(Answer(" "), Prompt("hi")).problem == "the reply was empty"
    assert read(Answer("It passed."), asked).problem == "the reply held no whole JSON object"
    assert "must be smaller than or equal to 10" in read(Answer('{"verdict": "yes", "score": 95}'), asked).problem
    assert "cut off" in read(Answer('{"verdict": "y', cut=True), asked).problem
    assert "refused" in read(Answer('{"verdict": "yes", "score": 2}', refusal="no\nway"), asked).problem


@given(st.text(max_size=300))
def test_no_text_yields_a_value_that_does_not_fit(text: str) -> None:
    reading = read(Answer(text), asking("hi"))
    assert (reading.value is None) == bool(reading.problem)


def test_a_caller_may_read_for_itself() -> None:
    own = Prompt("hi", schema=VERDICT, accepts=lambda text: "" if "yes" in text else "it says no")
    assert read(Answer("well, yes"), own) == (None, "") and read(Answer("no"), own).problem == "it says no"
    assert "cut off" in read(Answer("yes", cut=True), own).problem


def test_a_reminder_says_what_was_wrong() -> None:
    again = reminded(asking("hi"), "the reply was empty")
    assert again.text.startswith("hi\n\nYour last reply could not be used: the reply was empty.")
    assert reminded(Prompt("hi"), "empty") == Prompt("hi")
