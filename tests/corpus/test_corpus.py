from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.core.errors import UsageError
from surefoot.corpus.files import LARGEST, READERS, read_markdown, sources
from surefoot.corpus.passages import ENOUGH, MOST, passages

from ..conftest import surefoot as in_its_own_process
from . import documents

CONTROL = "".join(map(chr, (*range(9), *range(14, 32), 127, 0xFFFD)))
WRITTEN = st.characters(exclude_characters=CONTROL, exclude_categories=["Cs"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    documents.pdf(made / "msa.pdf", documents.html())
    documents.docx(made / "msa.docx")
    (made / "msa.html").write_text(documents.html())
    (made / "msa.md").write_text(documents.markdown())
    lines = "\n".join(",".join(f'"{cell}"' for cell in row) for row in documents.FEES)
    (made / "fees.csv").write_text(lines)
    return made


def texts(name: str, data: bytes) -> list[str]:
    return [passage.text for passage in passages(READERS[Path(name).suffix](data), name)]


@pytest.mark.parametrize("name", ["msa.pdf", "msa.docx", "msa.html", "msa.md"])
def test_every_format_says_the_same(folder: Path, name: str) -> None:
    found = passages(READERS[Path(name).suffix]((folder / name).read_bytes()), name)
    assert [passage.heading for passage in found] == [
        "Master Services Agreement > 4. Payment",
        "Master Services Agreement > 5. Fees",
        "Master Services Agreement > 5. Fees",
    ]
    clauses, table, review = found
    assert clauses.text == f"4. Payment\n{documents.CLAUSE}\n{documents.LATE}"
    assert clauses.labels == ("4.1", "4.2") and clauses.doc == "Master Services Agreement"
    assert clauses.page == (1 if name.endswith("pdf") else None)
    rows = [line.strip("| ").split(" | ") for line in table.text.split("\n")[1:] if "---" not in line]
    assert rows == documents.FEES
    assert review.text == f"5. Fees\n{documents.REVIEW}"
    same = passages(READERS[".md"](documents.markdown().encode()), name)
    assert [passage.id for passage in found] == [passage.id for passage in same]


def test_only_what_has_changed_is_read_again_and_ids_last(tmp_path: Path) -> None:
    source, corpus = tmp_path / "documents", tmp_path / "corpus.jsonl"
    source.mkdir()
    (source / "a.md").write_text(documents.markdown())
    (source / "b.md").write_text("# Other\n\nA paragraph of another document, long enough to be read.\n")
    first = surefoot.add_documents(source, out=corpus)
    assert (first["added"], first["unchanged"]) == (2, 0)
    before = corpus.read_bytes()
    assert surefoot.add_documents(source, out=corpus)["unchanged"] == 2 and corpus.read_bytes() == before
    ids = [row["id"] for row in surefoot.passages(corpus).rows]
    edited = documents.markdown().replace("## 4. Payment\n", "## 3. Term\n\nTwo years.\n\n## 4. Payment\n")
    (source / "a.md").write_text(edited)
    again = surefoot.add_documents(source, out=corpus)
    assert (again["changed"], again["unchanged"]) == (1, 1)
    assert set(ids) < {row["id"] for row in surefoot.passages(corpus).rows}


def test_a_corpus_is_not_written_into_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(documents.markdown())
    with pytest.raises(UsageError, match="also what is to be read"):
        surefoot.add_documents(tmp_path, out=tmp_path)
    found = surefoot.add_documents(tmp_path / "a.md", out=tmp_path / "new" / "corpus.jsonl")
    assert len(surefoot.search_corpus(found.corpus, "payment", limit=10**30).rows) <= found.passages


@given(st.lists(st.text("abc .\n", max_size=400), max_size=30), st.integers(0, 29))
def test_an_edit_changes_no_id_far_away(paragraphs: list[str], place: int) -> None:
    long = "This clause stands between the others and is long enough to be a passage of its own. " * 4
    pieces = [f"{long}{number}" for number in range(4)]
    before = "\n\n".join([*pieces[:2], *paragraphs, *pieces[2:]])
    after = "\n\n".join([*pieces[:2], *paragraphs[:place], "An insertion.", *paragraphs[place:], *pieces[2:]])
    one, other = ({passage.id for passage in passages(READERS[".txt"](text.encode()), "a")} for text in (before, after))
    assert len(one & other) >= 2


@given(st.text(WRITTEN, max_size=3_000), st.sampled_from([".txt", ".md", ".html", ".csv"]))
def test_no_text_is_lost_and_no_passage_is_long(text: str, suffix: str) -> None:
    found = texts(f"a{suffix}", text.encode("utf-8", "replace"))
    if suffix == ".txt":
        kept = " ".join(found)
        words = text.encode("utf-8", "replace").decode().split()
        assert all(word in kept for word in words if "-" not in word and len(word) < MOST)
    assert all(len(one) <= MOST + ENOUGH for one in found)


def test_lines_of_one_length_become_paragraphs() -> None:
    wrapped = "\n".join(["1. The Supplier shall deliver the goods to the place that is named in", "the order."] * 200)
    found = texts("a.txt", wrapped.encode())
    assert len(found) > 10 and max(map(len, found)) <= MOST


def test_numbered_headings_of_plain_text_begin_passages_and_items_of_a_list_do_not() -> None:
    text = """5. Limitation of liability
The liability of the supplier is limited to the fees paid in the twelve
months before the claim.
6. Payment terms and interest
Fees are due within thirty days. Late payments bear interest at eight per
cent a year.
"""
    assert [one.partition("\n")[0] for one in texts("a.txt", text.encode())] == [
        "5. Limitation of liability", "6. Payment terms and interest",
    ]  # fmt: skip
    steps = "Checklist of the caretaker for the morning round of the house\n\n1. Open the valve\n2. Wait for the lamp\n"
    assert len(texts("a.txt", f"{steps}3. Press the button\nThe pump starts at once.\n".encode())) == 1


def test_hostile_files_are_named_and_skipped(folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "good.md").write_text(documents.markdown())
    (bad / "cut.pdf").write_bytes((folder / "msa.pdf").read_bytes()[:3_000])
    (bad / "locked.pdf").write_bytes(documents.encrypted_pdf())
    (bad / "empty.txt").write_text("")
    (bad / "not.docx").write_bytes(b"PK nothing")
    (bad / "deep.html").write_text("<div>" * 200_000)
    (bad / "tags.html").write_text("<p>" * 2_000_001)
    with zipfile.ZipFile(bad / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb, bomb.open("zeros.txt", "w") as file:
        for _ in range(LARGEST // 2**20 + 1):
            file.write(b"0" * 2**20)
    with (bad / "huge.txt").open("wb") as huge:
        huge.truncate(2**30)
    added = in_its_own_process("corpus", "add", bad, "--out", tmp_path / "c.jsonl", "--json")
    assert added.code == 4 and "Traceback" not in added.err
    status = {row["name"]: row["status"] for row in json.loads(added.out)["documents"]}
    assert status.pop("good.md") == "added"
    assert set(status.values()) == {"unread"} and len(status) == 8
    assert "encrypted" in added.err and "damaged" in added.err


def test_underlined_lines_of_markdown_are_headings_and_front_matter_is_not() -> None:
    found = list(read_markdown(b"Returns\n=======\n\nHow long?\n---\nWithin 45 days.\n"))
    assert [(block.kind, block.level, block.text) for block in found] == [
        ("heading", 1, "Returns"), ("heading", 2, "How long?"), ("text", 0, "Within 45 days."),
    ]  # fmt: skip
    assert all(block.kind == "text" for block in read_markdown(b"---\ntitle: Returns\n---\n\nText.\n"))


def test_code_in_markdown_keeps_its_lines() -> None:
    code = "```sh\n# no heading\nfor x in *; do\n    ls $x\ndone\n```"
    (found,) = texts("a.md", f"# Use\n\nRun it\nlike this:\n\n{code}\n\nThen ```wait``` for it.\n".encode())
    lines = [
        "Use",
        "Run it like this:",
        "# no heading",
        "for x in *; do",
        "    ls $x",
        "done",
        "Then ```wait``` for it.",
    ]
    assert found.split("\n") == lines
    assert texts("a.md", b"~~~\nnever\n```\nclosed") == ["never\n```\nclosed"]


def test_a_line_without_end_is_cut() -> None:
    found = texts("a.txt", b"x" * 2_000_000 + b" word" * 400_000)
    assert sum(map(len, found)) == pytest.approx(4_000_000, rel=0.01) and max(map(len, found)) <= MOST


def test_a_hyphen_at_the_end_of_a_line_stays_where_the_word_has_one() -> None:
    lines = (b"The develop-", b"ment and a three-", b"month test of Alder-", b"Beck follow the development.")
    shown = b" 0 -14 Td ".join(b"(" + line + b") Tj" for line in lines)
    data = documents.packed_pdf(b"BT /F1 12 Tf 72 700 Td " + shown + b" ET")
    assert texts("a.pdf", data) == ["The development and a three-month test of Alder-Beck follow the development."]


def test_a_table_with_tight_cells_keeps_its_header() -> None:
    rows = (("Grade held", "Hotel limit", "Meals"), ("Staff", "140", "45"), ("Director", "210", "60"))
    placed = [
        b"1 0 0 1 %d %d Tm (%s) Tj" % (left, 700 - 16 * line, cell.encode())
        for line, row in enumerate(rows)
        for left, cell in zip((38, 106, 172), row, strict=True)
    ]
    (found,) = texts("a.pdf", documents.packed_pdf(b"BT /F1 12 Tf " + b" ".join(placed) + b" ET"))
    assert found.splitlines()[0] == "| Grade held | Hotel limit | Meals |" and "| Director | 210 | 60 |" in found


def test_pages_that_are_all_alike_are_read() -> None:
    data = documents.packed_pdf(b"BT /F1 12 Tf 72 700 Td (The same on each page) Tj ET", pages=5)
    assert "The same on each page" in texts("a.pdf", data)[0]


def test_cells_of_a_word_table_span_what_they_can(tmp_path: Path) -> None:
    documents.wide_docx(tmp_path / "a.docx")
    (found,) = texts("a.docx", (tmp_path / "a.docx").read_bytes())
    rows = [line.strip("| ").split(" | ") for line in found.split("\n") if "---" not in line]
    assert [row[-1] for row in rows[:2]] == [rows[0][-1]] * 2 and len(rows[2]) < 50
    assert "right 0" in rows[0][1]


def test_archives_are_folders(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.write(folder / "msa.md", "inside/msa.md")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as tar:
        info = tarfile.TarInfo("msa.md")
        data = documents.markdown().encode()
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    added = surefoot.add_documents([tmp_path / "all.zip", tmp_path / "all.tar.gz"], out=tmp_path / "c.jsonl")
    assert [row["name"] for row in added.documents] == ["all.zip/inside/msa.md", "all.tar.gz/msa.md"]


def test_a_tar_is_read_in_its_own_order_and_again_when_it_has_changed(tmp_path: Path) -> None:
    def packed(words: str) -> list[bytes]:
        with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as tar:
            for name in ("b.md", "a.md"):
                data = f"{words} {name}".encode()
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        return [source.read() for source in sources(tmp_path / "all.tar.gz")]

    assert packed("Old") == [b"Old b.md", b"Old a.md"]
    assert packed("Renewed") == [b"Renewed b.md", b"Renewed a.md"]


def test_two_documents_of_one_name_are_refused(tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "a.md").write_text(f"The rule of place {place}.")
    with pytest.raises(UsageError, match=r"would both be called a\.md"):
        surefoot.add_documents([tmp_path / "one", tmp_path / "two"], out=tmp_path / "c.jsonl")
    added = surefoot.add_documents(tmp_path, out=tmp_path / "c.jsonl")
    assert [row["name"] for row in added.documents] == ["one/a.md", "two/a.md"]


def test_a_new_row_of_a_table_moves_few_ids() -> None:
    rows = [f"part {number},{number * 7},depot {number % 9}" for number in range(400)]
    ids = [
        {row.id for row in passages(READERS[".csv"]("\n".join(["name,price,place", *lines]).encode()), "t.csv")}
        for lines in (rows, [*rows[:3], "part new,1,depot 1", *rows[3:]])
    ]
    assert len(ids[0] - ids[1]) <= 3 < len(ids[0])


def test_a_title_and_a_heading_without_text_are_said_once(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("Motor Policy", 0)
    document.add_heading("Endorsements", 1)
    document.add_paragraph("The courtesy car is given for up to 21 days.")
    document.add_heading("Annex", 1)
    document.save(str(tmp_path / "a.docx"))
    found = passages(READERS[".docx"]((tmp_path / "a.docx").read_bytes()), "a.docx")
    assert [row.text for row in found] == ["Endorsements\nThe courtesy car is given for up to 21 days.", "Annex"]
    assert found[0].doc == "Motor Policy"


def test_rows_of_a_document_that_lie_apart_are_gathered(tmp_path: Path) -> None:
    corpus, more = tmp_path / "c.jsonl", tmp_path / "z.md"
    rows = [{"id": f"{name}#{n}", "text": "x", "file": name, "sha256": "0"} for name, n in ("a1", "b1", "a2")]
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    more.write_text("The fee is 40 EUR.")
    surefoot.add_documents(more, out=corpus)
    ids = [json.loads(line)["id"] for line in corpus.read_text().splitlines()]
    assert ids[:3] == ["a#1", "a#2", "b#1"] and len(ids) == 4


def test_a_document_of_which_two_states_lie_in_a_corpus_is_read_again(tmp_path: Path) -> None:
    document, one, both = tmp_path / "a.md", tmp_path / "one.jsonl", tmp_path / "both.jsonl"
    document.write_text("The fee is 30 EUR.")
    surefoot.add_documents(document, out=one)
    before = one.read_bytes()
    document.write_text("The fee is 40 EUR.")
    surefoot.add_documents(document, out=one)
    both.write_bytes(before + one.read_bytes())
    assert surefoot.add_documents(document, out=both)["changed"] == 1
    assert both.read_bytes() == one.read_bytes()


@pytest.mark.parametrize("name", ["noise.txt", "noise.md", "noise.csv", "noise.html"])
def test_bytes_that_are_no_text_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="it is not text"):
        texts(name, bytes(number * number % 251 for number in range(3_000)))


def test_a_text_with_a_few_control_characters_is_read() -> None:
    assert texts("page.txt", b"The fee is EUR 40.\x0c\n\nIt is due on Monday.\x1a") != []


def test_where_nothing_can_be_read_one_sentence_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    done = in_its_own_process("corpus", "add", tmp_path / "empty.jsonl", "--out", tmp_path / "c.jsonl")
    assert done.code == 4 and not (tmp_path / "c.jsonl").exists()
    assert [line.partition(" ")[0] for line in done.err.splitlines()] == ["warning:", "error:", "hint:"]
    assert "nothing could be read from" in done.err
