"""Texts that try to be more than text, and how they get into every stored text of a campaign."""

import re
from typing import Any, Final

from django.apps import apps
from django.db import models

PACKAGES: Final = ("annotator", "scoring")
# The database stores it as it was written; the test writes entries of its own.
TRAIL: Final = "AuditEvent"
AWAY: Final = "https://elsewhere.invalid/zq"
# Whatever of these runs calls `ran`, asks for an address with `zq` in it, or leaves an element
# or an attribute that no page of ours has.
PAYLOADS: Final = (
    "<script>ran(1)</script>",
    f"<script src={AWAY}.js></script>",
    "</script><script>ran(1)</script>",
    "<ScRiPt/zq>ran(1)</ScRiPt>",
    "<<script>ran(1)//<</script>",
    "<img src=x onerror=ran(1)>",
    f"<img src={AWAY}.png>",
    '"><img src=x onerror=ran(1)>',
    "'><img src=x onerror=ran(1)>",
    "`><img src=x onerror=ran(1)>",
    "<svg onload=ran(1)>",
    "<svg/onload=ran(1)//",
    "<svg><animate onbegin=ran(1) attributeName=x>",
    "<math><mi xlink:href=javascript:ran(1)>x</mi>",
    "<details open ontoggle=ran(1)>",
    "<input autofocus onfocus=ran(1)>",
    "<video><source onerror=ran(1)></video>",
    "<body onload=ran(1)>",
    f"<iframe src={AWAY}></iframe>",
    "<iframe srcdoc='<script>parent.ran(1)</script>'></iframe>",
    f"<object data={AWAY}></object>",
    f"<embed src={AWAY}>",
    f"<link rel=stylesheet href={AWAY}.css>",
    f"<style>@import url({AWAY}.css);</style>",
    "<style>main{display:none}</style>",
    f"<p style='background:url({AWAY})'>x</p>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<base href={AWAY}>",
    f"<form action={AWAY}><button>x</button></form>",
    "<button formaction=javascript:ran(1)>x</button>",
    "<a href=javascript:ran(1)>x</a>",
    f"<a ping={AWAY} href=/>x</a>",
    "javascript:ran(1)",
    "data:text/html,<script>ran(1)</script>",
    "[x](javascript:ran(1))",
    f"![x]({AWAY}.png)",
    '" onmouseover=ran(1) zq="',
    "' onfocus=ran(1) autofocus zq='",
    "x onpointerenter=ran(1) zq",
    "</textarea><script>ran(1)</script>",
    "</title><script>ran(1)</script>",
    "</style><script>ran(1)</script>",
    "</template><script>ran(1)</script>",
    "--><script>ran(1)</script><!--",
    "]]><script>ran(1)</script>",
    '<noscript><p title="</noscript><img src=x onerror=ran(1)>">',
    "<div hx-get=/zq hx-trigger=load>x</div>",
    "<div data-hx-get=/zq data-hx-trigger=load>x</div>",
    "<div hx-on:htmx:load=ran(1)>x</div>",
    "<div data-hx-on::load=ran(1)>x</div>",
    '" hx-get="/zq" hx-trigger="load" zq="',
    "<hx-partial hx-target=body>x</hx-partial>",
    "{{7*7}}{{ settings.SECRET_KEY }}",
    "{% load static %}{% include 'base.html' %}",
    "{# x #}{% endblock %}",
    "${ran(1)}#{ran(1)}",
    "'-ran(1)-'\";ran(1)//\\';ran(1)//",
    '{"__proto__":{"zq":1}}',
    "&lt;script&gt;ran(1)&lt;/script&gt;&#60;b&#62;",
    "%3Cscript%3Eran(1)%3C/script%3E",
    "\\x3cscript\\x3eran(1)\\u003c/script\\u003e",
    "\uff1cscript\uff1eran(1)\uff1c/script\uff1e<\u017fcript>ran(1)</\u017fcript>",
    "\u202e<script>ran(1)</script>\u202c",
    "<scr\u200bipt>ran(1)</scr\u200bipt>\ufeff",
)
# A mark of the crawl, with which `furnish` begins every text.
MARKED: Final = re.compile(r"zqhere\w*")
# Texts of the program's own, or read by it to find something.
NO_TEXTS: Final = frozenset(
    {
        *("status", "owner", "stage", "kind", "role", "purpose", "split", "criterion", "scope"),
        *("action", "object_type", "object_id", "reason_code", "decision", "format", "act"),
        *("password", "name_skeleton", "secret", "session_key", "session_data", "pair", "key"),
        *("rubric_version", "directory", "seal", "mark", "scorer", "shown", "meaning", "work"),
        # The number of a worked example in the rubric.
        *("example",),
        # A day, a language, a zone or a tag of a run is checked where it is taken.
        *("language", "time_zone", "tags"),
        # What a delivery is about, and what is sealed of it, its worker reads.
        *("about", "sealed", "once"),
    }
)


def shown_as(number: int) -> str:
    """Return a payload between marks by which it is found again, whole, in the text of a page."""
    return f"zq{number}({PAYLOADS[number]}){number}qz"


class Planting:
    """Puts payloads into the stored texts, beginning with one of them."""

    def __init__(self, first: int = 0, *, is_unlimited: bool = False) -> None:
        self.fields = 0
        self._is_unlimited = is_unlimited
        self._next = first
        self._known: dict[tuple[str, int | None], str] = {}

    def plant(self) -> None:
        """Overwrite every text of every row; the same text becomes the same payloads."""
        for model in apps.get_models():
            if model._meta.app_label in PACKAGES and model.__name__ != TRAIL:
                self._rows(model)

    def _rows(self, model: type[models.Model]) -> None:
        fields = [field for field in model._meta.concrete_fields if _holds_text(field)]
        if fields:
            for row in model._default_manager.all():
                before = {field.attname: getattr(row, field.attname) for field in fields}
                found = {field.attname: self._value(field, before) for field in fields}
                new = {name: value for name, value in found.items() if value != before[name]}
                if new:
                    model._default_manager.filter(pk=row.pk).update(**new)
                    self.fields += len(new)

    def _value(self, field: "models.Field[Any, Any]", row: dict[str, Any]) -> Any:
        value = row[field.attname]
        if isinstance(field, models.JSONField):
            return self._inside(value)
        if value is None:
            return None
        # A picture of the second factor has no space for a longer name than ours may be.
        longest = None if self._is_unlimited and field.name != "username" else field.max_length
        if MARKED.search(value):
            return self._replaced(value, longest)
        return self.payloads_for(field.name, longest) if value or field.blank else value

    def _inside(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._inside(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._inside(inner) for inner in value]
        return self._replaced(value, 2000) if isinstance(value, str) else value

    def _replaced(self, text: str, longest: int | None) -> str:
        rest = len(MARKED.sub("", text))
        space = None if longest is None else longest - rest
        return MARKED.sub(lambda found: self.payloads_for(found[0], space), text)

    def payloads_for(self, mark: str, space: int | None) -> str:
        """Return what stands in the place of a text: as many payloads as fit into the space."""
        if (mark, space) not in self._known:
            # No two texts become the same: some columns hold each text once.
            text = f"w{len(self._known)}"
            for _ in PAYLOADS:
                longer = f"{text} {shown_as(self._next % len(PAYLOADS))}"
                if space is None or len(longer) <= space:
                    text = longer
                elif "(" in text:
                    break
                self._next += 1
            self._known[mark, space] = text
        return self._known[mark, space]


def _holds_text(field: "models.Field[Any, Any]") -> bool:
    is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
    is_code = isinstance(field, models.SlugField) or bool(field.choices)
    return (
        is_text
        and not is_code
        and not field.name.endswith("sha256")
        and (field.name not in NO_TEXTS)
    )
