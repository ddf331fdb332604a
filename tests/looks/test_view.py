from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.report.marked import View, compared, says, view_of
from surefoot.report.prose import visible

FOREIGN = st.text(max_size=200) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</div></main>",
        "<!-- ",
        "]]>&lt;b&gt;",
        "a\u202eb\u2066c\u200fd\u061ce\u00adf\U000e0041",
        "bell\x07 escape\x1b[31m nul\x00",
        "line\r\nline\rline\ttab",
        "\ud800 lone",
        "It is red [p1] and blue [p2]. Is it? [p9] {{ 7*7 }} citations: [p1, p3]",
        "# Doors\n\n* **red** [p1]\n* `blue`\n\n12. twelve\n\n> quoted\n\n```js\nalert(1)\n```",
        "| a | <b> |\n|---|---|\n| [x](javascript:alert(1)) | ![y](//evil.example/z) |",
        "[r]: //evil.example 'title'\n\n&amp; &#60; \\* <https://evil.example>",
    ]
)
OURS = {
    "span": {"class", "data-claim", "data-sources"}, "mark": {"data-claims"}, "a": {"class", "href"},
    "div": {"class", "role", "aria-label", "tabindex"}, "th": {"scope"}, "b": {"class"},
}  # fmt: skip
BARE = {"strong", "em", "code", "li", "pre", "blockquote", "table", "thead", "tbody", "tr", "td"}


class Outline(HTMLParser):
    """The words of a page, and that no tag in it is other than ours, and that all are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.words, self.open = "", list[str]()
        self.feed(html.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass"))  # a plain str
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        assert names <= {"class"} if tag in ("p", "ul") else not names if tag in BARE else names == OURS[tag]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def said(text: str) -> str:
    """All but what Markdown is written with."""
    return "".join(filter(str.isalnum, text))


def item(answer: str, *passages: Passage, citations: tuple[str, ...] | None = None, known: bool = True) -> Item:
    retrieved = Retrieved(passages) if known else None
    return Item(
        Question("q", "What colour?", "answer"), Trace("q", answer=answer, retrieved=retrieved, citations=citations)
    )


def view(answer: str, *passages: Passage, citations: tuple[str, ...] | None = None, known: bool = True) -> View:
    return view_of(item(answer, *passages, citations=citations, known=known))


@given(FOREIGN, FOREIGN, FOREIGN)
def test_foreign_text_stays_text_and_none_of_it_is_lost(answer: str, passage: str, name: str) -> None:
    shown = view_of(item(answer, Passage("p1", passage, name), Passage(name, passage)), passage, "a")
    assert said(Outline(compared(passage, answer)).words) == said(visible(passage))
    assert said(Outline(shown.answer).words) == said(visible(answer))
    for source in (*shown.cited, *shown.others):
        assert said(Outline(source.text).words) in (said(visible(passage)), "")
    assert len(shown.cited) + len(shown.others) >= 2


@given(st.text())
def test_what_is_visible_is_as_long_as_it_was_and_steers_nothing(foreign: str) -> None:
    shown = visible(foreign)
    assert len(shown) == len(foreign) and visible(shown) == shown
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\x00\x1b\x7f\u2028")


def test_joiners_that_scripts_are_written_with_are_kept() -> None:
    assert visible("می\u200cخواهم \U0001f469\u200d\U0001f4bb") == "می\u200cخواهم \U0001f469\u200d\U0001f4bb"


def marks(html: str) -> list[str]:
    found: list[str] = []

    class Marks(HTMLParser):
        inside = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.inside = tag == "mark"

        def handle_data(self, data: str) -> None:
            if self.inside:
                found.append(data)
            self.inside = False

    Marks().feed(html)
    return found


def test_words_numbers_and_months_in_common_are_marked_on_both_sides() -> None:
    shown = view(
        "The lease ends on 31 March 2026 and costs 4,500 crowns [p1].",
        Passage("p1", "This lease ended in March 2026; it may cost 4,500 crowns, not 45.", "Lease", 3),
        Passage("p2", "A lease of 2026."),
    )
    assert marks(shown.answer) == ["lease", "ends", "March", "2026", "costs", "4,500", "crowns"]
    assert marks(shown.cited[0].text) == ["lease", "ended", "March", "2026", "cost", "4,500", "crowns"]
    assert shown.cited[0].title == "Lease, p. 3"
    assert marks(shown.others[0].text) == ["lease", "2026"]
    lambs = view("Lambs are fed [p1].", Passage("p1", "Feed lambs at lambing."))
    assert marks(lambs.cited[0].text) == ["lambs"]


def test_what_is_cited_comes_in_order_and_what_is_not_there_is_said() -> None:
    shown = view("It is red [p2]. It is old [p7].", Passage("p1", "x"), Passage("p2", ""), citations=("p1",))
    assert [(source.id, source.known, source.is_empty) for source in shown.cited] == [
        ("p2", True, True),
        ("p7", False, False),
        ("p1", True, False),
    ]
    assert shown.cites and shown.claims == 2 and not shown.others


def test_a_log_without_passages_is_told_from_one_that_found_none() -> None:
    assert not view("It is red.", known=False).has_passages
    assert view("It is red.").has_passages and not view("It is red.").cites


def test_a_refusal_is_known_as_one_and_a_long_answer_is_read_in_part() -> None:
    assert view("The documents do not say.").refuses
    long = view("It is red. " * 20_000)
    assert long.read_in_part and len(Outline(long.answer).words) == 220_000


def differing(html: str) -> list[str]:
    return re.findall(r'<b class="differs">(.*?)</b>', html)


def test_words_that_the_other_answer_has_not_are_marked() -> None:
    shown = view_of(
        item("The fee is 40 crowns a year [p1].", Passage("p1", "40 crowns")), "The fee is 45 crowns [p1].", "a"
    )
    assert differing(shown.answer) == ["40", "a", "year"] and 'href="#a-1"' in shown.answer
    assert differing(compared("It is 45 now", "It is 40")) == ["45", "now"]
    other = view_of(item("Red [p2].", Passage("p1", ""), Passage("p2", "")), "Red [p1].")
    assert differing(other.answer) == ["2"]


def test_answers_are_grouped_by_figures_names_negations_and_what_they_cite() -> None:
    p1, p2 = Passage("p1", "x"), Passage("p2", "y")
    like = says(item("The fee of the mill is 40 crowns [p1].", p1, p2))
    assert says(item("It costs 40 crowns in all [p1].", p1, p2)) == like
    for other in ("It costs 45 crowns [p1].", "It is not 40 crowns [p1].", "It costs 40 crowns [p2].", "It costs 40.",
                  "At Bristol it costs 40 crowns [p1].", "The documents do not say."):  # fmt: skip
        assert says(item(other, p1, p2)) != like, other
