"""Bad input in every field of every form that anybody is shown."""

import html
import os
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest

from annotator.access.matrix import matrix
from tests.amounts import IS_THOROUGH
from tests.bad_input.form_fields import Field, fields
from tests.bad_input.nasty import FORM_VALUES, NEVER_TAKEN
from tests.bad_input.scenes import Scene, counts, undone

pytestmark = pytest.mark.slow
FORM: Final = "application/x-www-form-urlencoded"
SCALE: Final = int(os.environ.get("PROMISES_SCALE", "1"))
# Of all values each field is given every tenth, beginning with another one; all at full counts.
EVERY: Final = 10 if SCALE == 1 else 1
WHO: Final = ("one", "adjudicator", "researcher", "admin")
REFUSALS: Final = frozenset({400, 403, 404, 409, 413, 415, 422, 428, 429})


def answer_to(scene: Scene, field: Field, sent: str, *, is_no_text: bool = False) -> Any:
    """Send a form; nothing breaks, a refusal writes nothing, and what is no text is refused."""
    before = counts()
    with undone():
        client = scene.clients[field.who]
        if field.method == "GET":
            answer = client.get(f"{urlsplit(field.action).path}?{sent}")
        else:
            answer = client.post(field.action, sent, content_type=FORM)
        about = f"{answer.status_code} at {field.route} for {field.name}: {sent[-80:]}"
        assert answer.status_code < 500, about
        assert not is_no_text or answer.status_code >= 400, about
        if answer.status_code >= 400:
            assert answer.status_code in REFUSALS, about
            assert counts() == before, about
        return answer


def lost(field: Field, answer: Any, value: str | None) -> list[str]:
    """Return the text fields that a refused form does not show again as they were typed.

    Secrets are never shown again: passwords, and the codes of a second factor.
    """
    shown = html.unescape(answer.content.decode()).replace("\r\n", "\n")
    typed = field.values | {field.name: value or ""}
    return [
        name
        for name in field.texts & typed.keys()
        if "password" not in name
        and name != "code"
        and typed[name].strip().replace("\r\n", "\n") not in shown
    ]


def values_for(number: int) -> dict[str, str]:
    """Return what the field of this number is given."""
    labels = list(FORM_VALUES)
    chosen = (labels[(number + step) % len(labels)] for step in range(0, len(labels), EVERY))
    return {label: FORM_VALUES[label] for label in chosen}


def tried_by_another(scene: Scene, field: Field) -> bool:
    """Return whether somebody before them in WHO may use the form; `make test` tries it once."""
    before = WHO[: WHO.index(field.who)]
    return bool({*before} & {*scene.visitors(field.route)}) if field.route in matrix() else False


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(
    "share", ["a value a field", pytest.param("many", marks=pytest.mark.exhaustive)]
)
def test_no_value_of_a_field_breaks_a_form_and_a_refused_form_shows_again_what_was_typed(
    scene: Scene, tried, who: str, share: str
) -> None:
    count, faults = 0, []
    for number, field in enumerate(fields(scene, who)):
        if not IS_THOROUGH and tried_by_another(scene, field):
            continue
        given = list(values_for(number).items())
        for label, encoded in given if share == "many" else given[:1]:
            is_no_text = label in NEVER_TAKEN
            answer = answer_to(scene, field, field.with_value(encoded), is_no_text=is_no_text)
            count += 1
            about = f"{field.method} {field.route} {field.name}: {label} ({answer.status_code})"
            if answer.status_code == 422 and label != "NUL":
                gone = lost(field, answer, unquote(encoded, errors="replace"))
                faults += [f"lost {name}: {about}" for name in gone]
        missing_or_twice = (field.with_value(None), field.with_value("1", "2"))
        for sent in missing_or_twice if share == "many" else missing_or_twice[number % 2 :][:1]:
            answer_to(scene, field, sent)
            count += 1
    assert not faults, "\n".join(faults)
    tried("forms", count)
