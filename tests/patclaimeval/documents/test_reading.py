"""Bad input of every kind: a sentence that says what and where, in a process that stays small."""

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable

import pytest

from patclaimeval import limits
from patclaimeval.documents import reading
from patclaimeval.documents.confined import read_confined
from patclaimeval.documents.reading import AUTO, kind_of, read_document
from patclaimeval.documents.records import ReadOptions
from patclaimeval.text_io.streams import FormatError
from tests.counted_inputs import PROPERTY
from tests.patclaimeval.documents.pdf_files import column, pdf_file
from tests.patclaimeval.documents.samples import DOCUMENTS
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    MAIN_TYPE,
    paragraph,
    word_file,
    word_parts,
    zipped,
)

BODY = paragraph("Claims") + paragraph("1. A lamp.")
WORD = word_file(BODY)
CLAIM = b'<claim num="1"><claim-text>A lamp.</claim-text></claim>'
XML = b"<doc><claims>" + CLAIM + b"</claims></doc>"


def altered(data: bytes, change: Callable[[zipfile.ZipInfo], None], name: str = "x.txt") -> bytes:
    """Return an archive with one more file, whose entry in the directory is changed."""
    target = io.BytesIO(data)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(name, "x")
        change(archive.getinfo(name))
    return target.getvalue()


def named(name: str) -> bytes:
    return altered(WORD, lambda entry: None, name)


def encrypted(entry: zipfile.ZipInfo) -> None:
    entry.flag_bits |= 1


def linked(entry: zipfile.ZipInfo) -> None:
    entry.external_attr = 0o120777 << 16


def with_part(name: str, content: str | bytes) -> bytes:
    return zipped({**word_parts(BODY), name: content})


def of_type(kind: str) -> bytes:
    return word_file(BODY, main_type=kind)


def outside(kind: str, target: str = "http://192.0.2.1/x") -> bytes:
    return word_file(BODY, outside=[(kind, target, "External")])


MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
BOMB = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(97 + n + 1)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
DOCTYPE = word_parts(BODY)
DOCTYPE["word/document.xml"] = "<!DOCTYPE w>" + str(DOCTYPE["word/document.xml"])
ENTITIES = word_parts(BODY)
ENTITIES["word/document.xml"] = BOMB + "]>" + str(ENTITIES["word/document.xml"])
DEEP = "<claim-text>" * 5000 + "</claim-text>" * 5000
MANY = "".join(f"{n}. A lamp.\n" for n in range(1, 5001)).encode()

REFUSED = {
    "nothing": (b"", "is empty"),
    "a ZIP bomb": (with_part("word/media/a.xml", bytes(40 * 2**20)), "200 times its size"),
    "a large part": (
        zipped({**word_parts(BODY), "word/styles.xml": bytes(33 * 2**20)}, zipfile.ZIP_STORED),
        "word/styles.xml in The file has 34,603,008 bytes",
    ),
    "too many entries": (zipped(dict.fromkeys(map(str, range(5001)), "")), "has 5,001 entries"),
    "a truncated archive": (WORD[: len(WORD) // 2], "no complete ZIP archive"),
    "a damaged part": (
        WORD.replace(WORD[60:90], bytes(30), 1),
        "[Content_Types].xml in The file is damaged",
    ),
    "an encrypted archive": (altered(WORD, encrypted), "entry 7 is encrypted"),
    "a link": (altered(WORD, linked), "entry 7 is a link"),
    "a name that leaves": (named("../../etc/passwd"), "entry 7 has a name that leaves"),
    "a name from the root": (named("/etc/passwd"), "entry 7 has a name that leaves"),
    "a name of Windows": (named("C:\\x.txt"), "entry 7 has a name that leaves"),
    "entities": (zipped(ENTITIES), "word/document.xml declares XML entities"),
    "a document type": (zipped(DOCTYPE), "word/document.xml has a document type declaration"),
    "entities in office XML": ((BOMB + "]><d>&j;</d>").encode(), "declares XML entities"),
    "an outside entity": (
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>',
        "declares XML entities",
    ),
    "entities in EBCDIC": (
        f'<?xml version="1.0" encoding="IBM037"?>{BOMB}]><d>&j;</d>'.encode("cp037"),
        "",
    ),
    "XML without an end": (XML[:-20], "no well-formed XML at line 1"),
    "XML nested too deeply": (f"<d><claims>{DEEP}</claims></d>".encode(), "nested too deeply"),
    "macros": (of_type(MACROS), "holds macros; save it as .docx"),
    "a table": (of_type(MAIN_TYPE.replace("wordprocessing", "spreadsheet")), "no Word document"),
    "an old document": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old Office document"),
    "an encrypted document": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        "is encrypted",
    ),
    "an outside image": (outside("image"), "refers in word/_rels/document.xml.rels to a part"),
    "an outside template": (outside("attachedTemplate"), "(attachedTemplate)"),
    "an outside document": (outside("subDocument", "file:///x.docx"), "(subDocument)"),
    "5,000 claims": (MANY, f"has 5,000 claims; at most {limits.CLAIMS:,}"),
    "5,000 claims in Word": (
        word_file(
            paragraph("Claims") + paragraph("A lamp.", number=(1, 0)) * 5000, numbering=CLAIMS
        ),
        "has 5,000 claims",
    ),
    "5,000 claims in XML": (
        b"<d><claims>"
        + b'<claim num="1"><claim-text>A</claim-text></claim>' * 5000
        + b"</claims></d>",
        "has 5,000 claims",
    ),
    "1,000 pages": (pdf_file([[]] * 1000), "1,000 pages; at most 500"),
    "a scan": (pdf_file([[], [(10, 10, 8, "7")]]), "is a scan: its 2 pages"),
    "an encrypted PDF": (pdf_file([column(["1. A"])], encrypt=True), "is encrypted"),
    "a truncated PDF": (pdf_file([column(["1. A"])])[:150], "damaged or incomplete"),
    "another encoding": ("1. Eine Lampe für Bücher.".encode("cp1252"), "Line 1: the byte 0xFC"),
    "UTF-16": ("1. A lamp.".encode("utf-16"), "UTF-16 text"),
    "a NUL": (b"1. A lamp." * 9 + b"\0", "Line 1 holds the NUL character"),
    "bytes": (b"1. A lamp\0", "is binary, not text"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_in_a_sentence_that_quotes_no_claim(
    what: str, record_property: Callable[[str, object], None]
) -> None:
    data, why = REFUSED[what]
    record_property(PROPERTY, ["documents", 1])
    with pytest.raises(FormatError) as refused:
        read_document(data, AUTO, ReadOptions())
    assert why in refused.value.sentence
    assert refused.value.sentence.endswith(".")
    assert "lamp" not in refused.value.sentence.lower()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("xml", b"\xef\xbb\xbf" + XML),
        ("xml", "<?xml version='1.0' encoding='UTF-16'?><d/>".encode("utf-16")),
        ("html", b"<!DOCTYPE HTML><html></html>"),
        ("zip", zipped({"P1/reference.txt": "1. A lamp."})),
    ],
)
def test_the_bytes_show_the_kind_of_document(kind: str, data: bytes) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize("kind", sorted(DOCUMENTS.keys() - {"zip"}))
def test_each_kind_is_read_by_its_bytes_and_named_by_its_digest(kind: str) -> None:
    data = DOCUMENTS[kind]
    document = read_document(data, AUTO, ReadOptions(language="en" if "two" in kind else ""))
    assert document.format == kind.split(maxsplit=1)[0]
    assert document.sha256 == hashlib.sha256(data).hexdigest()
    assert document.report()[0].endswith("claims read.")


@pytest.mark.parametrize(
    ("fault", "why"), [(RecursionError, "nested deeper"), (MemoryError, "more memory than")]
)
def test_a_reader_that_gives_up_is_a_refusal(
    fault: type[Exception], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives_up(data: bytes, options: ReadOptions) -> None:
        raise fault

    monkeypatch.setitem(reading._READERS, "text", gives_up)
    with pytest.raises(FormatError, match=why):
        read_document(b"1. A lamp.", AUTO, ReadOptions())


def test_a_kind_that_is_asked_for_must_be_there() -> None:
    with pytest.raises(FormatError, match="is a Word document, not a PDF"):
        read_document(WORD, "pdf", ReadOptions())
    with pytest.raises(FormatError, match="is a ZIP archive, not one document"):
        read_document(zipped({"a": "1. A"}), AUTO, ReadOptions())


@pytest.mark.parametrize("kind", ["hyperlink", "attachedTemplate"])
def test_a_link_and_a_template_on_a_disk_are_named_and_not_opened(kind: str) -> None:
    document = read_document(outside(kind, "file:///C:/x.dotm"), AUTO, ReadOptions())
    assert document.claims.text == "1. A lamp."
    assert document.left_out or document.findings


@pytest.mark.parametrize(
    "text",
    [
        # Arabic, Hebrew, Chinese, Japanese: "A lamp. The lamp of claim 1."
        "1. \u0645\u0635\u0628\u0627\u062d.\n2. \u0627\u0644\u0645\u0635\u0628\u0627\u062d.",
        "1. \u05de\u05e0\u05d5\u05e8\u05d4.\n2. \u05d4\u05de\u05e0\u05d5\u05e8\u05d4.",
        "1. \u4e00\u79cd\u706f\u3002\n2. \u6839\u636e\u6743\u5229\u8981\u6c421\u7684\u706f\u3002",
        "1. \u30e9\u30f3\u30d7\u3002\n2. \u8acb\u6c42\u98051\u306e\u30e9\u30f3\u30d7\u3002",
    ],
)
def test_claims_in_other_scripts_are_read_as_typed(text: str) -> None:
    document = read_document(text.encode(), AUTO, ReadOptions())
    assert document.claims.text == text
    assert [claim.number for claim in document.claims.claims] == [1, 2]
    lines = "".join(paragraph(line) for line in ["Claims", *text.split("\n")])
    from_word = read_document(word_file(lines), AUTO, ReadOptions())
    assert from_word.claims.text == text.replace("\n", "\n\n")


def test_another_process_reads_the_same_and_says_what_it_refuses() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(WORD)
        file.flush()
        assert read_confined(file) == read_document(WORD, AUTO, ReadOptions())
        file.truncate(300)
        with pytest.raises(FormatError, match="no complete ZIP archive"):
            read_confined(file)
    with tempfile.TemporaryFile() as file:
        file.write(zipped({"P1/reference.txt": "1. A", "P1/candidates/a.txt": b"\xff"}))
        file.flush()
        with pytest.raises(FormatError) as refused:
            read_confined(file)
        assert [bad.file for bad in refused.value.bad_records] == ["P1/candidates/a.txt"]


def test_where_the_one_that_asks_stands_in_the_file_is_not_moved() -> None:
    data = b"1. A lamp " + b"that is lit " * 15_000
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        # More than this is in the buffer, and less than all of it.
        assert file.read(4) == data[:4]
        read_confined(file)
        assert file.read() == data[4:]


def test_a_process_that_takes_too_long_or_too_much_is_ended() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"1. A lamp.\n" * 100_000)
        file.flush()
        with pytest.raises(FormatError, match="longer than 0 seconds"):
            read_confined(file, seconds=0)
        with pytest.raises(FormatError, match="more than 40 MiB of memory"):
            read_confined(file, memory_bytes=40 * 2**20)


def test_a_stream_of_a_pdf_that_unpacks_without_end_is_stopped() -> None:
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(400)) + packer.flush()
    page = pdf_file([[]]).replace(
        b"<</Length 0>>\nstream\n",
        b"<</Filter/FlateDecode/Length %d>>\nstream\n" % len(packed) + packed,
    )
    with tempfile.TemporaryFile() as file:
        file.write(page)
        file.flush()
        with pytest.raises(FormatError, match="needs more than 400 MiB of memory"):
            read_confined(file, memory_bytes=400 * 2**20)


# Of the process itself: what `getrusage` counts includes the one that started it.
PEAK = """
import re, sys
from pathlib import Path
from patclaimeval.documents.process import answer
from patclaimeval.documents.records import ReadOptions
answer(sys.stdin.buffer.read(), "auto", ReadOptions())
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


SMALL: tuple[str, ...] = (
    "a ZIP bomb",
    "a large part",
    "entities in office XML",
    "XML nested too deeply",
)
SMALL = (*SMALL, "5,000 claims in Word", "5,000 claims in XML", "1,000 pages")


@pytest.mark.slow
def test_memory_for_bad_input_is_bounded() -> None:
    for what in SMALL:
        data = REFUSED[what][0]
        program = [sys.executable, "-c", PEAK]
        done = subprocess.run(program, input=data, capture_output=True, check=True)
        assert int(done.stdout) * 1024 < 6 * len(data) + 96 * 2**20, what
