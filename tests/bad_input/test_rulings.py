"""What a ruling may not be, by form and by REST; each row has its name in the catalogue."""

import html
import json
from typing import Any, Final

from patclaimeval.rubric import CRITERIA
from tests.bad_input.scenes import Scene, counts, undone
from tests.guards.blindness.people import PASSWORD

SURFACE: Final = "ruling form and call"
FIRST: Final = CRITERIA[0]
NIL: Final = "00000000-0000-0000-0000-000000000000"
REASON: Final = "Claim 2 was <overlooked>."
NEW: Final = {"decision": "scores"} | dict.fromkeys(CRITERIA, "5")
FORM: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "AF01 no decision": ({"decision": ""}, "Choose a rating, the mean, or new scores."),
    "AF01 a decision that is none": ({"decision": "guess"}, "Choose a rating, the mean"),
    "AF02 a rating that is none": ({"decision": "take 7"}, "one of the ratings"),
    "AF02 a rating of nowhere": ({"decision": f"take {NIL}"}, "rating"),
    "AF03 new scores without any": ({"decision": "scores"}, "score"),
    "RF01 a half point": (NEW | {FIRST: "10.5"}, "score"),
    "RF02 below the scale": (NEW | {FIRST: "-1"}, "score"),
    "RF03 above the scale": (NEW | {FIRST: "11"}, "score"),
    "RF04 empty": (NEW | {FIRST: ""}, "score"),
    "RF10 a whole number with a fraction": (NEW | {FIRST: "9.0"}, "score"),
    "RF12 a plus": (NEW | {FIRST: "+9"}, "score"),
    "RF13 a zero before": (NEW | {FIRST: "09"}, "score"),
    "RF14 a space that does not break": (NEW | {FIRST: "9\u00a0"}, "score"),
    "RF17 true": (NEW | {FIRST: "true"}, "score"),
    "RF18 a list": (NEW | {FIRST: "[9]"}, "score"),
    "RF19 an object": (NEW | {FIRST: '{"a":1}'}, "score"),
    "RF20 null": (NEW | {FIRST: "null"}, "score"),
    "RF26 a score twice": (NEW | {FIRST: ["3", "9"]}, "sent more than once"),
    "RF31 a reason of 200 kB": ({"reason": "x" * 200_000}, "A reason may have"),
    "RF33 a NUL": ({"reason": "a\x00b"}, "Null characters are not allowed."),
    "AF04 no reason": ({"reason": ""}, "Give a short reason."),
    "AF04 a blank reason": ({"reason": " \t\n"}, "Give a short reason."),
    "AF04 a reason that shows nothing": ({"reason": "\u200b"}, "Give a short reason."),
    "AF04 a reason of marks": ({"reason": "..."}, "Give a short reason."),
    "AF07 a gap that is neither": ({"has_guideline_gap": "maybe"}, "Give true or false."),
    "RF02 minus zero": (NEW | {FIRST: "-0"}, "score"),
    "AF05 a code that is none": ({"reason_code": "because"}, "Select a valid choice."),
    "AF06 no password": ({"password": ""}, "Your password is your signature."),
    "AF06 another password": ({"password": "guess"}, "password"),
}
BODIES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "AF01 a decision that is none": ({"decision": "guess"}, "decision"),
    "AF02 a rating of nowhere": ({"decision": "take", "rating": NIL}, "rating"),
    "AF03 new scores without any": ({"decision": "scores"}, "scores"),
    "RF10 a whole number with a fraction": (
        {"decision": "scores", "scores": dict.fromkeys(CRITERIA, 9.0)},
        "scores",
    ),
    "RF17 true": ({"decision": "scores", "scores": dict.fromkeys(CRITERIA, True)}, "scores"),
    "RF20 null": ({"decision": "scores", "scores": None}, "scores"),
    "RF28 a criterion of another rubric": (
        {"decision": "scores", "scores": dict.fromkeys((*CRITERIA, "novelty"), 5)},
        "scores",
    ),
    "RF31 a reason of 200 kB": ({"reason": "x" * 200_000}, "reason"),
    "RF33 a NUL": ({"reason": "a\x00b"}, "NUL"),
    "AF04 a blank reason": ({"reason": " "}, "reason"),
    "AF04 a reason that shows nothing": ({"reason": "\u200b"}, "reason"),
    "AF07 a gap that is neither": ({"has_guideline_gap": "maybe"}, "has_guideline_gap"),
    "AF07 a gap as text": ({"has_guideline_gap": "true"}, "has_guideline_gap"),
    "AF05 a code that is none": ({"reason_code": "because"}, "reason_code"),
    "AF06 another password": ({"password": "guess"}, "password"),
}


def ruling(**more: Any) -> dict[str, Any]:
    return {
        "decision": "mean",
        "reason_code": "overlooked",
        "reason": REASON,
        "password": PASSWORD,
    } | more


def test_no_wrong_ruling_is_signed_and_the_form_says_why(scene: Scene, tried) -> None:
    carol, path, faults = (
        scene.clients["adjudicator"],
        f"/adjudication/{scene.scenario.conflict.pk}/",
        [],
    )
    for name, (change, message) in FORM.items():
        before, sent = counts(), ruling(**change)
        with undone():
            answer = carol.post(path, sent)
            assert answer.status_code != 422 or counts() == before, name
        shown = html.unescape(answer.content.decode())
        expected = sent["reason"].strip() if name != "RF33 a NUL" else "b"
        if answer.status_code != 422 or message not in shown or expected not in shown:
            faults.append(f"{name}: {answer.status_code}, {message in shown}, {expected in shown}")
        assert PASSWORD not in shown, name
    assert not faults, "\n".join(faults)
    assert carol.post(path, ruling()).status_code == 303
    tried(SURFACE, len(FORM))


def test_no_wrong_ruling_is_signed_and_the_call_names_the_field(scene: Scene, tried) -> None:
    carol, faults = scene.clients["adjudicator"], []

    def send(**change: Any) -> Any:
        body = ruling(conflict=str(scene.scenario.conflict.pk)) | change
        return carol.post(
            "/api/v1/adjudications/", json.dumps(body), content_type="application/json"
        )

    for name, (change, field) in BODIES.items():
        before = counts()
        with undone():
            answer = send(**change)
            assert answer.status_code == 201 or counts() == before, name
        if answer.status_code != 400 or field not in answer.content.decode():
            faults.append(f"{name}: {answer.status_code} {answer.content[:200]!r}")
    assert not faults, "\n".join(faults)
    assert send().status_code == 201
    tried(SURFACE, len(BODIES))
