from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.models.failures import failure_of, retry_after
from tests.fault_server import http_date


@pytest.mark.parametrize(
    ("status", "data", "kind"),
    [
        (429, b"", "busy"),
        (429, b'{"error": {"message": "no more", "code": "insufficient_quota"}}', "unpaid"),
        (429, b'{"error": {"message": "You exceeded your current quota, please check your plan"}}', "busy"),
        (400, b'{"error": {"message": "Your credit balance is too low to access the API"}}', "unpaid"),
        (402, b'{"error": {"message": "Insufficient Balance"}}', "unpaid"),
        (402, b'{"error": {"message": "requires more credits, or fewer max_tokens"}}', "too_dear"),
        (503, b"", "busy"),
        (529, b"", "busy"),
        (500, b'{"type": "overloaded_error"}', "busy"),
        (500, b"", "passing"),
        (408, b"", "passing"),
        (400, b"", "rejected"),
        (422, b"", "rejected"),
        (401, b"", "hopeless"),
        (404, b"", "hopeless"),
        (307, b"", "hopeless"),
        (403, b"", "permanent"),
        (403, b'{"error": {"message": "Your input was flagged"}}', "permanent"),
        (403, b'{"error": {"message": "Project does not have access to model gpt-9"}}', "hopeless"),
        (400, b'[{"error": {"message": "API key not valid. Please pass a valid API key."}}]', "hopeless"),
        (400, b'[{"error": {"message": "Missing or invalid Authorization header."}}]', "hopeless"),
        (400, b'{"error": {"message": "foo/bar is not a valid model ID", "code": 400}}', "hopeless"),
        (400, b'{"message": "Invalid model: mistral-foo", "code": "1500"}', "hopeless"),
        (400, b'{"error": {"message": "The model `x` does not support temperature"}}', "rejected"),
        (400, b'{"error": {"message": "Billing hard limit", "code": "billing_hard_limit_reached"}}', "unpaid"),
        (429, b'{"error": {"message": "Your account is not active", "code": "billing_not_active"}}', "unpaid"),
        (413, b"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 10704", "rejected"),
        (429, b"Request too large for m on tokens per min (TPM): Limit 10,000, Requested 10,704.", "rejected"),
        (429, b"Rate limit reached (TPM): Limit 10000, Used 9000, Requested 1704", "busy"),
        (429, b"Limit 10000, Requested 1704", "busy"),
        (413, b"", "permanent"),
    ],
)
def test_what_a_status_means(status: int, data: bytes, kind: str) -> None:
    assert failure_of(status, {}, data).kind == kind


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"error": {"message": "too \\n many"}}', "HTTP 400: too many"),
        (b'{"error": "plain"}', "HTTP 400: plain"),
        (b'[{"error": {"message": "in a list"}}]', "HTTP 400: in a list"),
        (b'{"detail": "of fastapi"}', "HTTP 400: of fastapi"),
        (b"<html>", "HTTP 400: <html>"),
        (b"", "HTTP 400"),
    ],
)
def test_what_the_server_said_is_passed_on(data: bytes, words: str) -> None:
    assert failure_of(400, {}, data).message == words


def test_retry_after_in_all_its_forms() -> None:
    assert retry_after({"retry-after": "2"}) == 2
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after": "-1"}) == 0
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert 8 < (retry_after({"retry-after": http_date(10)}) or 0) <= 10
    assert retry_after({"retry-after": http_date(-100)}) == 0
    for none in ({}, {"retry-after": "soon"}, {"retry-after": "nan"}, {"retry-after": "inf"}, {"retry-after": ""}):
        assert retry_after(none) is None


GEMINI = (
    b'[{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing '
    b'details. Please retry in 32.535s.", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "32s"}]}}]'
)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (GEMINI, 32.535),
        (b'{"error": {"details": [{"@type": "RetryInfo", "retryDelay": "7s"}]}}', 7),
        (b"Rate limit reached. Please try again in 320ms. Visit", 0.32),
        (b"Please try again in 1m2.5s.", 62.5),
        (b"Please try again in 20 seconds", 20),
        (b"Please try again in 2 minutes", 120),
        (b"Retry after 5", 5),
        (b"Please try again later", None),
    ],
)
def test_how_long_to_wait_may_stand_in_the_body(said: bytes, seconds: float | None) -> None:
    failure = failure_of(429, {}, said)
    assert failure.kind == "busy" and failure.retry_after == (None if seconds is None else pytest.approx(seconds))
    assert failure_of(429, {"retry-after": "3"}, said).retry_after == 3


@given(st.integers(300, 599), st.binary(max_size=200), st.text(max_size=20))
def test_no_error_breaks_the_reading_of_errors(status: int, data: bytes, header: str) -> None:
    failure = failure_of(status, {"retry-after": header}, data)
    assert failure.message.startswith(f"HTTP {status}") and len(failure.message) < 300
