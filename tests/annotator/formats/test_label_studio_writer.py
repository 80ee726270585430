import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.label_studio import PreferenceRecord, read
from annotator.formats.label_studio_writer import (
    StatedPair,
    item_of,
    revised,
    task_of,
    write,
    write_tasks,
)
from annotator.typology import ABSTRACT_TAGS, CLAIM_TAGS
from tests.annotator.formats.exports import item

GOLDEN = Path(__file__).with_name("golden") / "label-studio.json"
MADE = datetime(2026, 1, 5, 8, tzinfo=UTC)
REVISED = datetime(2026, 1, 5, 9, 0, 0, 1, tzinfo=UTC)
PAIR = StatedPair(
    task=5,
    annotation=6,
    annotator=7,
    ipc="A47G 19/22",
    claims="1. A cup\u2028 with a handle.",
    left="2. \U0001f600 The cup of claim 1, blue.",
    right="2. A mug.",
    judgement=1,
    error_tags=(
        {"tag": "vagueness", "side": "left", "start": 5, "end": 8},
        {"tag": "verbose-redundancy", "side": "left"},
        {"tag": "claim-numbering-error", "side": "right", "remark": "kept nowhere"},
        {"tag": "wishful-claiming", "side": "right"},
        {"tag": "vagueness", "side": "reference", "start": 0, "end": 2},
    ),
    comment="why?\r\n=1",
    created_at=MADE,
    updated_at=REVISED,
)
SHORT = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=10
).map(lambda text: f"2. {text} mug \U0001f600")


def read_again(*items: dict[str, Any]) -> list[PreferenceRecord]:
    return list(read(io.BytesIO(b"".join(write(items)))))


def tie() -> StatedPair:
    bare = {"judgement": 0, "error_tags": (), "comment": "", "ipc": ""}
    fields = {name: getattr(PAIR, name) for name in StatedPair.__slots__}
    return StatedPair(**(fields | bare | {"annotation": 8}))


def test_the_golden_file_is_written_to_the_byte() -> None:
    content = b"".join(write([item_of(PAIR), item_of(tie())]))
    assert content == GOLDEN.read_bytes()
    assert json.loads(b"".join(write([]))) == []


def test_the_golden_file_is_read_as_what_was_written() -> None:
    first, second = read(io.BytesIO(GOLDEN.read_bytes()))
    assert (first.reference_claims, first.left, first.right) == (PAIR.claims, PAIR.left, PAIR.right)
    assert (first.judgement, second.judgement) == (1, 0)
    assert (first.comment, first.ipc) == (PAIR.comment, PAIR.ipc)
    assert (first.created_at, first.updated_at) == (MADE, REVISED)
    places = [(tag["tag"], tag["side"], tag.get("start")) for tag in first.error_tags]
    assert places == [
        ("vagueness", "left", 5),
        ("verbose-redundancy", "left", None),
        ("claim-numbering-error", "right", None),
        ("wishful-claiming", "right", None),
    ]


@st.composite
def pairs(draw: Any) -> StatedPair:
    texts = {"left": draw(SHORT), "right": draw(SHORT)}
    tags = []
    for tag in draw(st.lists(st.sampled_from(CLAIM_TAGS), unique=True, max_size=4)):
        side = draw(st.sampled_from(["left", "right"]))
        one: dict[str, Any] = {"tag": tag.code, "side": side}
        if draw(st.booleans()):
            start = draw(st.integers(0, len(texts[side]) - 1))
            one |= {"start": start, "end": draw(st.integers(start + 1, len(texts[side])))}
        tags.append(one)
    return StatedPair(
        *(1, 2, 3, "A", draw(SHORT), texts["left"], texts["right"]),
        *(draw(st.sampled_from([1, 0, -1])), tuple(tags), draw(SHORT), MADE, REVISED),
    )


@given(pairs())
def test_any_preference_is_read_as_it_was_written(pair: StatedPair) -> None:
    (found,) = read_again(item_of(pair))
    assert (found.reference_claims, found.left, found.right) == (pair.claims, pair.left, pair.right)
    assert (found.judgement, found.comment) == (pair.judgement, pair.comment)
    assert sorted(map(str, found.error_tags)) == sorted(map(str, pair.error_tags))


def test_a_revised_item_keeps_its_numbers_and_highlights_and_says_what_is_said_now() -> None:
    coloured = {"start": 0, "end": 2, "text": "2.", "labels": ["UNK"]}
    tagged = {"start": 3, "end": 4, "text": "A", "labels": ["Clarity - Vagueness"]}
    texts = {"input_claim": PAIR.claims, "output1": PAIR.left, "output2": PAIR.right}
    before = item(
        **texts,
        mark1=f"[{coloured}]",
        mark2=[coloured, tagged],
        dimension2="Grammar - Punctuation Discrepancy",
        comparison=[{"selected": "right"}],
        comment1="old",
        comment2="old",
    )
    now = revised(before, PAIR)
    for name in ("id", "annotation_id", "annotator", "lead_time", "agreement", "created_at"):
        assert now[name] == before[name], name
    assert now["mark1"][0] == coloured and now["mark2"] == [coloured]
    (found,) = read_again(now)
    assert (found.judgement, found.left_comment, found.right_comment) == (1, PAIR.comment, "")
    assert found.updated_at == REVISED
    assert "punctuation-discrepancy" not in {tag["tag"] for tag in found.error_tags}


def test_a_side_of_which_nothing_is_marked_any_more_has_no_marks() -> None:
    tagged = {"start": 3, "end": 4, "text": "A", "labels": ["Clarity - Vagueness"]}
    assert "mark2" not in revised(item(mark2=[tagged]), tie())


INTERFACE = Path(__file__).parents[3] / "docs" / "label-studio.xml"


def interface() -> ElementTree.Element:
    return ElementTree.parse(INTERFACE).getroot()


def test_a_task_has_one_annotation_of_what_the_item_says() -> None:
    task = task_of(item_of(PAIR))
    (annotation,) = task["annotations"]
    found = [(one["from_name"], one["to_name"], one["value"]) for one in annotation["result"]]
    mark = {"start": 6, "end": 9, "text": PAIR.left[5:8], "labels": ["Clarity - Vagueness"]}
    assert found == [
        ("comparison", "output1,output2", {"selected": "left"}),
        ("dimension1", "output1", {"choices": ["Brevity - Verbose Redundancy"]}),
        ("mark1", "output1", mark),
        ("comment1", "output1", {"text": [PAIR.comment]}),
        (
            "dimension2",
            "output2",
            {"choices": ["Format - Claim Numbering Error", "Clarity - Wishful Claiming"]},
        ),
    ]
    texts = (PAIR.claims, PAIR.left, PAIR.right)
    assert tuple(task["data"][name] for name in ("input_claim", "output1", "output2")) == texts


def test_answers_that_a_table_wrote_as_texts_are_annotations_and_highlights_are_not() -> None:
    marks = [{"start": 0, "end": 1, "text": "2", "labels": ["UNK"]}]
    written = item(
        comparison="[{'selected': 'right'}]",
        dimension1="{'choices': ['Clarity - Vagueness', 'Unclarity (Vague)', 'Other (say which)']}",
        mark1=str(marks),
    )
    (annotation,) = task_of(written)["annotations"]
    assert [(one["type"], one["value"]) for one in annotation["result"]] == [
        ("pairwise", {"selected": "right"}),
        ("choices", {"choices": ["Clarity - Vagueness", "Unclarity", "Other"]}),
    ]
    assert task_of(item_of(tie()))["annotations"] == [{"result": []}]


def test_the_interface_of_the_guide_knows_every_name_and_label_of_a_task() -> None:
    root = interface()
    tags = {"pairwise": "Pairwise", "choices": "Choices", "labels": "Labels"}
    tags["textarea"] = "TextArea"
    for one in task_of(item_of(PAIR))["annotations"][0]["result"]:
        (control,) = root.findall(f".//*[@name='{one['from_name']}']")
        assert (control.tag, control.get("toName")) == (tags[one["type"]], one["to_name"])
    shown = {text.get("value") for text in root.findall("Text")}
    assert shown == {"$input_claim", "$output1", "$output2"}
    published = [tag.published for tag in (*CLAIM_TAGS, *ABSTRACT_TAGS)]
    for name in ("dimension1", "dimension2", "mark1", "mark2"):
        (control,) = root.findall(f".//*[@name='{name}']")
        more = ["Other"] if name.startswith("dimension") else []
        assert [label.get("value") for label in control] == published + more


def test_an_array_of_tasks_is_json() -> None:
    (task,) = json.loads(b"".join(write_tasks([item_of(PAIR)])))
    assert task == task_of(item_of(PAIR))
    assert b"".join(write_tasks([])) == b"[]\n"
