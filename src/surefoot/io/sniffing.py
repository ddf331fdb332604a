"""What the first bytes of a stream say of it."""

from __future__ import annotations


def is_table(body: bytes) -> bool:
    """True for lines below a line with separators, none of which is JSON: a log may begin with other lines."""
    first, _, others = body.strip().partition(b"\n")
    is_text = first[:1] not in (b"{", b"[") and b"\0" not in body[:4096]
    return is_text and bool(others) and b"\n{" not in body and any(sign in first for sign in (b",", b"\t", b";"))


def not_json(head: bytes, body: bytes) -> str | None:
    if not body.strip():
        return "is empty"
    if body.startswith(b"%PDF-"):
        return "is a PDF document, not a log"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text: save it as UTF-8"
    is_text = body.lstrip()[:1] in (b"{", b"[", b'"')
    return "is a binary file, not JSON lines" if b"\0" in head[:4096] and not is_text else None


def is_document(body: bytes) -> bool:
    """An array of objects, or pretty-printed objects: what only makes sense when read as a whole."""
    first, *others = (line.strip() for line in body.lstrip().split(b"\n", 2)[:2])
    second = others[0] if others else b""
    if first.startswith(b"["):
        if first != b"[" and second.startswith(b"{") and second.endswith(b"}"):
            return False  # a broken first line of JSON lines
        return first[1:].lstrip()[:1] in (b"", b"{", b"[", b"]") and not (first.endswith(b"]") and second)
    return first.startswith(b"{") and first.endswith((b"{", b"[", b",")) and not second.startswith(b"{")
