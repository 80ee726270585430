"""Puts into sentences why a linear model gave its scores: what each feature adds, and its values.

It imports no numpy: a web process may. Nothing of a claim's text is in a sentence, only numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

Parts = Mapping[str, Sequence[float]]
"""By feature three numbers: its value, its mean over the pairs that the model's scales were
measured on, and what it adds to the log-odds of the score. What counts nothing is left out."""
AVERAGE: Final = "the average pair"
"""What a candidate alone is compared with: every feature has its mean, and the score is 1/2."""
SHOWN: Final = 5
"""So many reasons are shown at once."""
GROUP_LABELS: Final[Mapping[str, str]] = {
    "structure": "Claims kept, as a set with its dependencies",
    "overlap": "Wording shared with the reference",
    "terms": "Terms",
    "antecedents": "Antecedents",
    "vagueness": "Vague words",
    "renaming": "Terms called by one name",
    "citations": "References from claim to claim",
    "order": "Order",
}


@dataclass(frozen=True)
class Reason:
    """A feature in which two candidates differ: a sentence, and what it adds in log-odds."""

    feature: str
    group: str
    sentence: str
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why a candidate B scores as it does beside another, C, or beside the average pair.

    ``candidate`` and ``against`` are their numbers from 1, or their letters; ``against`` is None
    for the average pair. ``total`` is logit(s_B) - logit(s_C), or logit(s_B): the sum of the
    contributions of ``groups`` (name and number), and of those of ``reasons``, to rounding. Both
    are sorted by size, the strongest first; what adds nothing is left out.
    """

    candidate: int | str
    against: int | str | None
    total: float
    groups: tuple[tuple[str, float], ...]
    reasons: tuple[Reason, ...]

    @property
    def title(self) -> str:
        return f"Why {_name(self.candidate)} scores as it does beside {_name(self.against)}"

    @property
    def strongest(self) -> tuple[Reason, ...]:
        return self.reasons[:SHOWN]

    @property
    def rest(self) -> tuple[Reason, ...]:
        return self.reasons[SHOWN:]

    @property
    def labelled_groups(self) -> list[tuple[str, float]]:
        """Each group as it is called on a page, with its number."""
        return [(GROUP_LABELS[group], number) for group, number in self.groups]

    def lines(self) -> list[str]:
        """Return what a command prints of it."""
        return [
            f"{self.title}; in log-odds:",
            *(f"{number:+8.3f}  {label}" for label, number in self.labelled_groups),
            f"{self.total:+8.3f}  together",
            "",
            *(f"{reason.contribution:+8.3f}  {reason.sentence}" for reason in self.reasons),
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the numbers and sentences, JSON-ready."""
        return {
            "candidate": self.candidate,
            "against": self.against,
            "log_odds": self.total,
            "groups": [{"group": group, "contribution": number} for group, number in self.groups],
            "reasons": [asdict(reason) for reason in self.reasons],
        }


def explain_scores(scores: Sequence[float], parts: Sequence[Parts]) -> Explanation:
    """Explain the highest of n scores beside the next highest, or alone where n is 1.

    Input: n >= 1 scores in (0, 1) of candidates of one reference, and their parts, of one model. Of
    equal scores the earlier is the higher. Output: candidates are numbered from 1 in the order
    given; contributions are in log-odds of the score.
    Source: ours; ``ridge`` has the formula of the score.
    """
    first, *others = leading(scores)
    if not others:
        return explain_score(parts[first], first + 1)
    return explain_difference(parts[first], parts[others[0]], first + 1, others[0] + 1)


def leading(scores: Sequence[float]) -> list[int]:
    """Return the places of the highest of n >= 1 scores and the next, or of one; ties in order."""
    return sorted(range(len(scores)), key=lambda place: -scores[place])[:2]


def explain_difference(
    b: Parts, c: Parts, number_b: int | str = 1, number_c: int | str = 2
) -> Explanation:
    """Explain why candidate B scores above or below candidate C of the same reference.

    Input: the parts of both from one model, and the numbers or letters of the candidates. Output:
    contributions part_B - part_C, in log-odds, which sum to logit(s_B) - logit(s_C).
    Raises ``ValueError`` where the parts name other features.
    Source: ours; ``ridge`` has the formula of the score.
    """
    if b.keys() != c.keys():
        raise ValueError("Only the parts of one model can be compared.")
    other = {name: (value, part) for name, (value, _, part) in c.items()}
    return _explain(b, other, number_b, number_c)


def explain_score(parts: Parts, number: int = 1) -> Explanation:
    """Explain the score of one candidate beside the average of the pairs behind the scales.

    Input: its parts, and its number. Output: contributions in log-odds, which sum to logit(s);
    those of the average pair are 0, and its score is 1/2.
    Source: ours; ``ridge`` has the formula of the score.
    """
    average = {name: (mean, 0.0) for name, (_, mean, _) in parts.items()}
    return _explain(parts, average, number, None)


def _name(number: int | str | None) -> str:
    return AVERAGE if number is None else f"candidate {number}"


def _explain(
    b: Parts,
    other: Mapping[str, tuple[float, float]],
    number_b: int | str,
    number_c: int | str | None,
) -> Explanation:
    reasons = []
    for feature, wording in SENTENCES.items():
        value, _, part = b.get(feature, (0.0, 0.0, 0.0))
        value_c, part_c = other.get(feature, (0.0, 0.0))
        if part != part_c:
            sentence = wording.sentence(value, value_c, _name(number_b), _name(number_c))
            reasons.append(Reason(feature, wording.group, sentence, part - part_c))
    groups = {
        group: math.fsum(one.contribution for one in reasons if one.group == group)
        for group in dict.fromkeys(one.group for one in reasons)
    }
    return Explanation(
        number_b,
        number_c,
        math.fsum(one.contribution for one in reasons),
        tuple(sorted(groups.items(), key=lambda item: -abs(item[1]))),
        tuple(sorted(reasons, key=lambda one: -abs(one.contribution))),
    )


@dataclass(frozen=True)
class FeatureSentence:
    """The sentences of a feature: ``more`` where its value is higher in B, ``less`` where lower.

    ``{B}`` stands for the candidate; ``shown`` writes a value as a reader counts it.
    """

    group: str
    more: str
    less: str
    shown: Callable[[float], str]

    def sentence(self, b: float, c: float, name_b: str, name_c: str) -> str:
        """Return the sentence with the values of both."""
        text = (self.more if b > c else self.less).replace("{B}", name_b)
        return f"{text}: {self.shown(b)} in {name_b}, {self.shown(c)} in {name_c}"


def _count(value: float) -> str:
    """Write n of -ln(1 + n); the mean of such numbers is no whole count."""
    count = math.expm1(-value)
    nearest = round(count)
    return f"{nearest}" if abs(count - nearest) < 1e-6 else f"about {count:.1f}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _lacking(value: float) -> str:
    """Write a share that enters with a minus."""
    return f"{abs(100 * value):.1f} %"


def _factor(value: float) -> str:
    """Write the ratio of -|ln(ratio)|, the larger over the smaller."""
    return f"a factor of {math.exp(-value):.2f}"


def _a_claim(value: float) -> str:
    return f"{abs(value):.2f} a claim"


def _percent(value: float) -> str:
    return f"{abs(value):.2f} %"


def _points(value: float) -> str:
    return f"{abs(100 * value):.1f} points"


_TEXTS: Final[Mapping[str, Mapping[str, tuple[Callable[[float], str], str]]]] = {
    "structure": {
        "claims_matched": (
            _share,
            "a [larger|smaller] share of the claims of {B} has a counterpart",
        ),
        "claims_matched_f": (
            _share,
            "a [larger|smaller] share of the claims of the reference and {B} are counterparts",
        ),
        "claims_alike": (
            _share,
            "matched claims of {B} share [more|fewer] content words with the reference",
        ),
        "claim_count": (
            _factor,
            "{B} is [nearer to|farther from] the reference's number of claims",
        ),
        "claim_length": (
            _factor,
            "{B} is [nearer to|farther from] the reference's words to a claim",
        ),
        "parents": (
            _share,
            "[more|fewer] claims of the reference depend on the same claims in {B}",
        ),
        "kept_rouge_l": (
            _share,
            "claim by claim {B} has [more|less] of the reference's wording in the same order",
        ),
        "kept_rouge_1": (_share, "claim by claim {B} has [more|fewer] of the reference's words"),
        "kept_dice": (
            _share,
            "claim by claim {B} has [more|fewer] of the reference's content words",
        ),
        "kept_half": (
            _share,
            "[more|less] of the text of {B} is in claims that share over half of their content "
            "words",
        ),
    },
    "overlap": {
        "rouge_1": (_share, "{B} shares [more|fewer] words with the reference"),
        "rouge_2": (_share, "{B} shares [more|fewer] neighbouring words with the reference"),
        "rouge_l": (_share, "{B} shares [more|fewer] words in the order of the reference"),
        "content_words": (_share, "{B} shares [more|fewer] content words with the reference"),
        "rare_words": (_share, "{B} shares [more|fewer] of the words that few claims use"),
    },
    "terms": {
        "terms_new": (
            _count,
            "[fewer|more] uses in {B} of content words that the reference does not have",
        ),
        "terms_lost": (_count, "[fewer|more] content words of the reference are missing in {B}"),
        "phrases_lost": (_lacking, "[fewer|more] noun phrases of the reference are missing in {B}"),
        "numbers_new": (_lacking, "[fewer|more] of the numbers in {B} are not in the reference"),
        "antecedents_missing": (
            _a_claim,
            "[fewer|more] definite phrases of {B} lack antecedent basis",
        ),
        "vague_share": (_percent, "a [smaller|larger] part of {B} is vague words"),
    },
    "antecedents": {
        "antecedents_share": (
            _lacking,
            "a [smaller|larger] share of the definite phrases of {B} lacks antecedent basis",
        ),
        "antecedents_count": (
            _count,
            "[fewer|more] definite phrases without antecedent basis in {B}",
        ),
    },
    "vagueness": {
        "vague_count": (_count, "[fewer|more] vague words in {B}"),
    },
    "renaming": {
        "renamings_mixed": (
            _count,
            "[fewer|more] terms in {B} go by two names",
        ),
        "renamings_places": (
            _count,
            "terms of the reference have another name in [fewer|more] places of {B}",
        ),
    },
    "citations": {
        "citations_unknown": (_count, "[fewer|more] references to claims that are missing in {B}"),
        "citations_forward": (
            _count,
            "[fewer|more] references of a claim to itself or to a later one in {B}",
        ),
        "citations_same": (
            _share,
            "[more|fewer] claims of {B} refer to the claims that the reference has them refer to",
        ),
        "dependent_share": (
            _points,
            "{B} is [nearer to|farther from] the reference's share of dependent claims",
        ),
    },
    "order": {
        "word_order": (
            _points,
            "[fewer|more] shared words of {B} stand out of the reference's order",
        ),
        "claim_order": (_share, "[more|fewer] claims of {B} follow each other as in the reference"),
    },
}
"""By group and feature: how a value is written, and the sentence with its choice [higher|lower]."""


def _sentence(group: str, shown: Callable[[float], str], text: str) -> FeatureSentence:
    """Read "some [more|fewer] text" as the two sentences."""
    before, _, behind = text.partition("[")
    choice, _, after = behind.partition("]")
    more, less = choice.split("|")
    return FeatureSentence(group, f"{before}{more}{after}", f"{before}{less}{after}", shown)


SENTENCES: Final[Mapping[str, FeatureSentence]] = {
    feature: _sentence(group, shown, text)
    for group, texts in _TEXTS.items()
    for feature, (shown, text) in texts.items()
}
"""One entry a feature of ``features``, in its order."""
