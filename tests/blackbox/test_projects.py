"""What surrounds runs: documents, question sets, councils, the monitor, the doctor, and the pages in a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blackbox import town
from tests.blackbox.facts import Project, Run, expect
from tests.blackbox.town import FIRST, QUESTIONS, SECOND, TEXTS

Graded = tuple[Project, Run, Run]

DOCUMENTS = {
    "docs/market.md": "# Market rules\n\nThe market is held every Thursday. A stall costs EUR 18 a day.\n\n## Waste\n\n"
    "Traders shall remove their waste within two hours.\n",
    "docs/museum.html": "<html><head><title>Museum</title></head><body><h1>Museum</h1><p>The museum is closed on "
    "Mondays.</p><table><tr><th>Visitor</th><th>Price</th></tr><tr><td>Adult</td><td>EUR 11</td></tr></table></body>",
    "docs/parking.txt": "Parking on the quay is limited to 90 minutes. Residents pay EUR 40 a year.",
    "docs/prices.csv": "item,price\ncanoe,EUR 15\nrowing boat,EUR 22\n",
}


# Documents


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("library"))
    for name, text in DOCUMENTS.items():
        project.write(name, text)
    facts = project.corpus_add("docs")
    expect(facts, exit=0, added=4, changed=0, unread=0)
    return project


def test_passages_are_listed_searched_and_shown(library: Project) -> None:
    every = library.passages("corpus.jsonl")
    assert set(every["files"]) == {"market.md", "museum.html", "parking.txt", "prices.csv"}
    found = library.passages("corpus.jsonl", search="residents parking quay")
    assert found["files"][0] == "parking.txt" and "EUR 40" in found["texts"][0]
    expect(library.passages("corpus.jsonl", show=found["ids"][0]), exit=0, texts=found["texts"][:1])
    assert set(library.passages("corpus.jsonl", doc="market.md")["files"]) == {"market.md"}
    expect(library.passages("corpus.jsonl", show="nowhere#1"), exit=2, message="not there", hint=True)
    expect(library.passages("corpus.jsonl", search="zeppelin"), ids=[])


def test_a_corpus_follows_its_documents(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("docs/a.md", "# Harbour\n\nBoats up to 12 metres may moor here.")
    project.write("docs/b.txt", "The lighthouse is 31 metres high.")
    expect(project.corpus_add("docs"), exit=0, added=2, passages=2)
    expect(project.corpus_add("docs"), exit=0, added=0, unchanged=2, passages=2)
    before = project.passages("corpus.jsonl", search="lighthouse")["ids"]
    project.write("docs/a.md", "# Harbour\n\nBoats up to 15 metres may moor here.")
    expect(project.corpus_add("docs"), exit=0, changed=1, unchanged=1)
    assert project.passages("corpus.jsonl", search="lighthouse")["ids"] == before
    expect(project.corpus_remove("corpus.jsonl", "a.md"), exit=0, removed=["a.md"], passages=1)
    project.write("docs/broken.pdf", b"%PDF-1.4 nothing of the kind")
    expect(project.corpus_add("docs"), exit=4, unread=1, added=1)
    expect(project.corpus_add("nowhere", out="other.jsonl"), exit=2, message="not there")


def test_rows_cut_elsewhere_keep_their_ids(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("rows.jsonl", [{"id": "h-1", "text": "Boats up to 12 metres.", "doc": "Harbour", "page": 3},
                                 {"id": "h-2", "page_content": "No swimming in the basin."}])  # fmt: skip
    expect(project.corpus_add("rows.jsonl"), exit=0, passages=2)
    expect(project.passages("corpus.jsonl"), ids=["h-1", "h-2"])


# Question sets


def test_questions_are_built_reviewed_and_locked(library: Project) -> None:
    facts = library.build("corpus.jsonl", "built.jsonl", {"plain": 3, "unanswerable": 1})
    expect(facts, exit=0, made={"plain": 3, "unanswerable": 1}, golden=3, unanswerable=1)
    expect(library.build("corpus.jsonl", "built.jsonl", {"plain": 3, "unanswerable": 1}), exit=0, unanswerable=1)
    expect(library.lock_questions("built.jsonl"), exit=2, hint=True)  # nobody has read them
    with library.review_site("built.jsonl", "corpus.jsonl") as site:
        assert site.enter() == 200
        expect(site.decide_question("accepted"), status=200)
        expect(site.decide_question("rejected"), status=200)
        assert site.get("/questions/99")[0] == 404
    assert library.reviews("built.jsonl") == {"accepted": 1, "rejected": 1, "proposed": 2}
    expect(library.lock_questions("built.jsonl", accept_all=True), exit=0, questions=3)
    expect(library.check_questions("built.jsonl"), exit=0, errors=[])


def test_a_locked_question_cannot_change_under_its_id(project: Project) -> None:
    expect(project.lock_questions("questions.jsonl"), exit=0, questions=6)
    expect(project.diff_questions("questions.jsonl"), exit=0, changed=[], unchanged=6)
    expect(project.clone_questions("questions.jsonl", "next.jsonl", "ferry"), exit=0, renamed={"ferry": "ferry@v2"})
    expect(project.diff_questions("questions.jsonl", "next.jsonl"), exit=0, added=["ferry@v2"], removed=["ferry"])
    project.write("questions.jsonl", [{**QUESTIONS[0], "gold_claims": ["every hour"]}, *QUESTIONS[1:]])
    expect(project.diff_questions("questions.jsonl"), exit=1, changed=["ferry"], unchanged=5)
    expect(project.check_questions("questions.jsonl"), exit=1, about=["ferry"])
    expect(project.score("second.jsonl"), exit=2, message="question changed", hint=True)
    expect(project.run("one", "pipeline:second"), exit=2, message="question changed", hint=True)
    expect(project.lock_questions("questions.jsonl"), exit=1)
    expect(project.lock_questions("questions.jsonl", accept_changes=True), exit=0)
    expect(project.diff_questions("questions.jsonl"), exit=0, unchanged=6)


FAULTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "same id": ({**QUESTIONS[0], "q": "Which ferry leaves first?"}, {"exit": 1, "errors": ["duplicate_question"]}),
    "same question": ({**QUESTIONS[0], "qid": "again", "q": "how often does the ferry to holm leave"}, {"exit": 0}),
    "answer in the question": ({**QUESTIONS[3], "qid": "leak", "q": "Is the yearly rent EUR 95?"}, {"exit": 0}),
    "no question": ({"qid": "x", "answerable": True}, {"exit": 1, "errors": ["bad_question"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_question_set_are_found(name: str, shared: Project) -> None:
    row, facts = FAULTS[name]
    found = shared.check_questions(shared.write(f"sets/{name}.jsonl".replace(" ", "-"), [*QUESTIONS, row]))
    sound = shared.check_questions("questions.jsonl")
    expect(sound, exit=0, errors=[])
    expect(found, **facts)
    assert found["errors"] or set(found["warnings"]) > set(sound["warnings"]), found.output


def test_questions_are_checked_against_the_documents(shared: Project) -> None:
    wrong = {**QUESTIONS[1], "gold_ids": ["garden#2"]}
    answered = {"qid": "kept", "q": "How long may books be kept?", "answerable": False}
    name = shared.write("sets/against.jsonl", [QUESTIONS[0], wrong, answered])
    facts = shared.check_questions(name, corpus="passages.jsonl")
    assert {"ticket", "kept"} <= set(facts["about"]) and "ferry" not in facts["about"], facts.output
    lost = shared.write("sets/lost.jsonl", [{**QUESTIONS[0], "gold_ids": ["ferry#9"]}, *QUESTIONS[1:]])
    expect(shared.check_questions(lost, corpus="passages.jsonl"), exit=1, about=["ferry"])


# Councils


def review(reviewer: str, **scores: int) -> dict[str, str]:
    """A reviewer who gives each answer one number, and some accuracy to another."""
    marks = ("relevance", "completeness", "conciseness", "clarity")
    given = {label: {**dict.fromkeys(marks, 9), "accuracy": accuracy} for label, accuracy in scores.items()}
    return {"reviewer": reviewer, "text": f"My scores: {json.dumps({'evaluations': given})}"}


def sitting(*reviews: dict[str, str], b: str = "Books may be kept as long as you like.") -> dict[str, Any]:
    responses = {"A": {"model": "alpha", "text": "Books may be kept for 21 days."}, "B": {"model": "beta", "text": b}}
    return {"question": "How long may books be kept?", "responses": responses, "reviews": list(reviews)}


COUNCILS: dict[str, tuple[object, dict[str, Any]]] = {
    "the accurate one wins": (sitting(review("c", A=9, B=2), review("d", A=8, B=3)), {
        "exit": 0, "order": ["A", "B"], "capped": {"A": False, "B": True}, "votes": {"A": 2, "B": 2}}),
    "a wrong answer is capped at four": (sitting(review("c", A=9, B=4)), {"overall": {"B": 4.0}, "order": ["A", "B"]}),
    "a doubtful one at seven": (sitting(review("c", A=9, B=6)), {"overall": {"A": 9.0, "B": 7.0}}),
    "prose is no ballot": (sitting(review("c", A=9, B=8), {"reviewer": "d", "text": "B is best. 10/10"}), {
        "void": ["d"], "votes": {"A": 1, "B": 1}, "order": ["A", "B"]}),
    "nobody votes for themselves": (sitting(review("beta", A=2, B=10), review("c", A=9, B=5)), {
        "votes": {"A": 2, "B": 1}, "overall": {"B": 7.0}}),
    "an unsafe answer comes last": (sitting(review("c", A=7, B=10), b="Her card is 4539 1488 0343 6467."), {
        "order": ["A", "B"], "safe": {"A": True, "B": False}, "overall": {"B": 0.0}}),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNCILS)
def test_a_council_ranks_answers(name: str, shared: Project) -> None:
    reviews, facts = COUNCILS[name]
    expect(shared.council_score(shared.write(f"{name}.json", reviews)), **facts)


def test_a_council_without_a_ballot_decides_nothing(shared: Project) -> None:
    none = shared.write("none.json", sitting({"reviewer": "d", "text": "B!"}))
    expect(shared.council_score(none), exit=4, void=["d"])
    expect(shared.council_score(shared.write("broken.json", "{")), exit=2, hint=True)


# Production


def test_the_monitor_counts_each_answer_once_and_keeps_the_bad_ones_redacted(tmp_path: Path) -> None:
    project = Project(tmp_path)
    rows = [{"trace_id": f"t-{one.qid}", "question": one.question, "answer": one.text, "retrieved": one.passages}
            for one in FIRST]  # fmt: skip
    rows[1]["retrieved"] = [
        {"id": "ferry#2", "text": "A return ticket for the ferry costs EUR 12. Ask ann@holm-town.org."}
    ]
    project.write("log.jsonl", rows[:4])
    expect(project.monitor("log.jsonl"), exit=0, seen=4, sampled=4, alerts=[], bad=["t-ticket", "t-books"],
           buckets={"correct": 1, "wrong": 1, "unsupported": 1, "refused": 1})  # fmt: skip
    project.write("log.jsonl", [*rows, rows[0], {"nothing": 1}])
    expect(project.monitor("log.jsonl"), exit=0, seen=2, unreadable=1, bad=["t-ticket", "t-books", "t-fine"])
    assert not [path for path in tmp_path.glob("*") if path.name != "log.jsonl" and b"ann@holm" in path.read_bytes()]
    expect(project.monitor("nowhere.jsonl"), exit=2, message="not there")


def test_the_monitor_raises_an_alarm_over_what_is_usual(graded: Graded) -> None:
    project, _, second = graded
    rows = [{"trace_id": f"t{n}", "question": TEXTS["ticket"], "answer": FIRST[1].text, "retrieved": FIRST[1].passages}
            for n in range(60)]  # fmt: skip
    facts = project.monitor(project.write("worse.jsonl", rows), baseline=second.name)
    expect(facts, exit=1, seen=60, buckets={"wrong": 60})
    assert facts["alerts"]


def test_the_doctor_asks_before_a_long_run(shared: Project) -> None:
    expect(shared.doctor("pipeline:second"), exit=0, ready=True, passed={"ferry": True, "dogs": True})
    expect(shared.doctor("pipeline:first"), exit=1, ready=False, passed={"ticket": False, "fine": False, "dogs": True})
    sentinels = [{**QUESTIONS[1], "sentinel": True}, *QUESTIONS[2:]]
    facts = shared.doctor("pipeline:flaky", shared.write("sets/sentinels.jsonl", sentinels))
    expect(facts, exit=4, ready=False, passed={"ticket": False, "books": None})


def test_a_new_project_works_at_once_and_is_not_overwritten(tmp_path: Path) -> None:
    project = Project(tmp_path)
    expect(project.init("new"), exit=0)
    new = Project(tmp_path / "new")
    expect(new.run("one", "pipeline:answer", "questions.json"), exit=0, errors=0)
    expect(new.grade(Run("one")), exit=0)
    new.write("questions.json", "[]")
    expect(project.init("new"), exit=2, message="already there", hint=True)
    assert new.read("questions.json") == "[]"


# Pages


def test_the_label_page_takes_a_label_and_needs_its_token(fresh: Graded) -> None:
    project, first, _ = fresh
    with project.label_site(first, token="open-sesame-please") as site:
        assert site.get("/")[0] == 403
        assert site.enter() == 200
        page = site.get("/")[1]
        assert any(one.question in page for one in FIRST)
        expect(site.label("wrong"), status=200)
        expect(site.label("refused"), status=200)
        assert site.label("splendid")["status"] >= 400
        assert site.post_from_elsewhere() == 403
        assert site.get("/looks/99")[0] == 404
    expect(project.report(first), labels=2)
    expect(project.export("labels.jsonl"), labels=2)


def test_all_runs_can_be_browsed(fresh: Graded) -> None:
    project, first, second = fresh
    project.gate(first, second)
    with project.browse_site(token="open-sesame-please") as site:
        assert site.get("/")[0] == 403
        assert site.enter() == 200
        status, home = site.get("/")
        assert status == 200 and "SHIP" in home
        for run, answers in ((first, FIRST), (second, SECOND)):
            status, page = site.run_page(run)
            assert status == 200 and all(one.question in page for one in answers), run
        assert site.get("/looks")[0] == 200 and site.get("/nowhere")[0] == 404


def test_a_command_tells_its_name_and_options(shared: Project) -> None:
    expect(shared.plain("--version"), exit=0, message=None)
    for words in (["--help"], ["score", "--help"], ["questions", "--help"]):
        expect(shared.plain(*words), exit=0, message=None, hint=False)


def test_the_town_is_as_it_was(shared: Project) -> None:
    """Cases that share a project have not changed what the others read."""
    assert town.settle(shared.folder).read("questions.jsonl") == shared.read("questions.jsonl")
