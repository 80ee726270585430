"""The forms of a page, filled in as somebody would: what a new page posts is crawled unasked."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from tests.guards.blindness.people import PASSWORD

# What is typed into a field that stands empty, by a part of its name.
TYPED: Final = (
    ("password", PASSWORD),
    ("slug", "a-new-name"),
    ("date", "2031-01-01"),
    ("_at", "2031-01-01"),
    ("until", "2031-01-01"),
    ("share", "50"),
    ("percent", "50"),
    ("seed", "3"),
)
NUMBER: Final = "5"
TEXT: Final = "because of the handle"


@dataclass(slots=True)
class Form:
    """A form that posts: its fields by name, in the order of the page, and its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    # Where a button posts to and what it adds; "" for the form's own action.
    buttons: list[tuple[str, str, str]] = field(default_factory=list)

    def posts(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield address and values for each button."""
        for action, name, value in self.buttons or [("", "", "")]:
            yield action or self.action, self.fields | ({name: value} if name else {})


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.forms: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self.inside: Form | None = None
        self.select = ""
        self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = Form(given.get("action") or self.path)
            if given.get("method", "").lower() == "post":
                self.forms.append(self.inside)
            self.by_id[given.get("id", "")] = self.inside
            return
        form = self.by_id.get(given["form"]) if "form" in given else self.inside
        if form is None:
            return
        name = given.get("name", "")
        if tag == "button" and given.get("type", "submit") == "submit":
            form.buttons.append((given.get("formaction", ""), name, given.get("value", "")))
        elif tag == "input" and name:
            _fill(form, name, given)
        elif tag == "select":
            self.select = name
            form.fields.setdefault(name, "")
        elif tag == "option" and self.select and form.fields.get(self.select, "") == "":
            form.fields[self.select] = given.get("value", "")
        elif tag == "textarea" and name:
            self.area = name
            form.fields[name] = TEXT

    def handle_data(self, data: str) -> None:
        if self.area and self.inside and data.strip():
            self.inside.fields[self.area] = data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = None
        elif tag == "select":
            self.select = ""
        elif tag == "textarea":
            self.area = ""


def _fill(form: Form, name: str, given: dict[str, str]) -> None:
    kind, value = given.get("type", "text"), given.get("value", "")
    if kind in {"radio", "checkbox"}:
        # The first choice stands until another one is ticked.
        if kind == "radio" and (name not in form.fields or "checked" in given):
            form.fields[name] = value
        elif kind == "checkbox" and "checked" in given:
            form.fields[name] = value or "on"
    elif kind == "number":
        form.fields[name] = value or given.get("min") or NUMBER
    elif kind == "hidden" or value:
        form.fields[name] = value
    else:
        typed = (text for part, text in TYPED if part in name)
        form.fields[name] = next(typed, TEXT)


def forms_of(html: str, path: str) -> list[Form]:
    """Return the forms of a page that post; one without an action posts to the page's path."""
    reader = _Reader(path)
    reader.feed(html)
    return reader.forms
