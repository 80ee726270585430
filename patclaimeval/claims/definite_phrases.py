"""The definite noun phrases of a claim that need an introduction: "the X", "said X", and lists."""

import re
from dataclasses import dataclass

from patclaimeval.claims.terms import Mention, find_mentions, is_verb_form, read_term, singular

# Nouns that need no introduction: properties and parts that every thing of their kind has.
_INHERENT_WORDS = """
amount art average back beginning bottom boundary bulk case center centre change circumference
claim combination dark decrease difference direction earth edge end environment equation
expression extent exterior fact first following foregoing former formula front ground group
increase inside interface interior internet invention last latter left length like majority manner
maximum mean middle minimum need number order other outcome outside part periphery plane position
presence present proviso rate ratio rear reduction remainder rest right same second side step sum
surface surroundings third time top total use user value variation vicinity way weight width world
"""
_INHERENT = frozenset(_INHERENT_WORDS.split())
# Of these, the ones that a word before them makes a thing of its own: "the carrying part".
_INHERENT_ALONE = frozenset(
    [
        "equation",
        "group",
        "interface",
        "part",
        "plane",
        "position",
        "step",
        "user",
        "value",
    ]
)
ORDINALS = frozenset(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"])
# "The lowest pressure", "the respective valve", "the visible range": unique by what they mean.
_UNIQUE_WORDS = """
appropriate best complete desired entire following foregoing least most next only opposite other
overall particular preceeding present previous proper remaining required respective same subsequent
visible whole worst
"""
UNIQUE = frozenset(_UNIQUE_WORDS.split())
_NO_SUPERLATIVE = frozenset(["guest", "harvest", "interest", "request", "test", "forest"])
# "The edge of the plate", "the gap between", "the current produced by": what follows shows which
# is meant. Not so "the method of claim 1", and never after "said".
_DEFINED = re.compile(
    r"(?:\s*\([^()]{1,24}\))?(?:\s+(?:and|or)(?:\s+[\w-]+){1,3}?)?\s+(?:of(?!\s+(?:claims?|any|one"
    r"|either)\b)|between|among|(?:in|at|to|on|by|from|for)\s+which|where|corresponding\s+to"
    r"|thereof|associated\s+therewith|ones?|(?:caused|created|emitted|generated|measured|obtained"
    r"|produced|provided|supplied)\s+by)\b",
    re.IGNORECASE,
)
# "The equation z = x + y".
_NAMED_AFTER = frozenset(["equation", "expression", "formula", "letter", "symbol", "word"])
# "The pump of claim 1", "the pump as recited in any of claims 1 to 3": the citation says which.
CITED = re.compile(
    r"\s*(?:\([^()]{1,24}\)\s*)?,?\s*(?:(?:as\s+)?(?:claimed|defined|described|mentioned|recited|set"
    r"\s+forth|specified|stated)\s+(?:in|by)|according\s+to|as\s+(?:in|per)|from|in|in\s+accordance"
    r"\s+with|of|under|with)\s+(?:at\s+least\s+)?(?:(?:any|either|each|one|some)\s+(?:one\s+)?(?:or"
    r"\s+more\s+)?(?:of\s+)?)?(?:the\s+)?(?:[a-z]+ing\s+|previous\s+)?claims?\b",
    re.IGNORECASE,
)
# "Where f is the focal length": a symbol is explained.
_EXPLAINS = re.compile(r"(?:^|[^\w-])(?:\w|[A-Z]\w{0,3})\s+(?:is|are|denotes?|represents?)\s+$")
_EXPLAINED_WITHIN = 24
_SIDE_LIST = """
back backward bottom distal downstream exterior external forward front inner inside interior
internal left lower male female major minor negative odd even outer outside positive primary
proximal rear right secondary top upper upstream vertical horizontal
"""
_SIDES = ORDINALS.union(_SIDE_LIST.split())
_SAYS_LITTLE = (_SIDES | UNIQUE | _INHERENT) - ORDINALS
_JOINED = re.compile(
    r"(?:(?P<last>,?\s+(?:and/or|and|or))|,)\s+(?:(?P<article>the|said)\s+)?(?=[A-Za-z])",
    re.IGNORECASE,
)
_FOLLOWER = re.compile(r"\s*(?:\([^()]{1,24}\)\s*)?([A-Za-z]+)")
_LONGEST_LIST = 12


@dataclass(frozen=True, slots=True)
class DefinitePhrase:
    """One definite noun phrase of a claim: its words, its span, and the phrase with its article.

    `follower` is the next word. `shares_article`: the article stands before an earlier item of a
    list, as that of "piston" in "the housing and piston"; the span has no article then.
    """

    mention: Mention
    phrase: str
    follower: str = ""
    shares_article: bool = False

    @property
    def start(self) -> int:
        """The place of the first character of the phrase in the claim."""
        return self.mention.start

    @property
    def end(self) -> int:
        """The place behind the last character of the phrase in the claim."""
        return self.mention.end


def definite_phrases(text: str) -> list[DefinitePhrase]:
    """Return the definite phrases of a claim that need an introduction, in order.

    Input: the text of one claim. Output: each phrase after "the" or "said", and each item of a list
    that shares one article: "the first and second lids" has "the first lids" and "the second lids".
    Phrases that define themselves are left out: what every thing has ("the surface"), what is
    unique ("the lowest pressure"), and what other words of the claim name ("the edge of the plate",
    "the pump of claim 1").
    """
    found: list[DefinitePhrase] = []
    for mention in find_mentions(text):
        if not mention.is_definite:
            continue
        items = _sides(mention, text) or _nouns(mention, text)
        if not _is_defined(mention, items[-1].end, text):
            found += [item for item in items if not _is_inherent(item.mention, text)]
    return found


def _sides(mention: Mention, text: str) -> list[DefinitePhrase]:
    """Return the items of "the first, second and third lids", each with the noun; or []."""
    sides = [mention]
    end = mention.end
    while _is_side(sides[-1].term) and len(sides) < _LONGEST_LIST:
        match = _JOINED.match(text, end)
        term, end = read_term(text, match.end()) if match else ("", end)
        side, _, noun = term.partition(" ")
        if not match or not _is_side(side):
            return []
        item = Mention(mention.article, term, match.end(), end)
        if noun:
            written = text[item.start + len(side) : end]
            items = [
                DefinitePhrase(
                    Mention(one.article, f"{one.term} {noun}", one.start, one.end),
                    f"{_with_article(one, text)}{written}",
                )
                for one in sides
            ]
            # An item with its own article is a mention of its own.
            last = DefinitePhrase(item, _with_article(item, text), _follower(text, end))
            return items if match["article"] else [*items, last]
        sides.append(item)
    return []


def _is_side(term: str) -> bool:
    """Whether one word stands before a noun: an ordinal, a side, or "locked"."""
    return term in _SIDES or (" " not in term and term.endswith("ed"))


def _nouns(mention: Mention, text: str) -> list[DefinitePhrase]:
    """Return a phrase, and the nouns behind it that share its article ("the lid, rod and bolt")."""
    first = DefinitePhrase(mention, _with_article(mention, text), _follower(text, mention.end))
    items: list[DefinitePhrase] = []
    end = mention.end
    while len(items) < _LONGEST_LIST and (match := _JOINED.match(text, end)):
        term, end = read_term(text, match.end())
        follower = _follower(text, end)
        if match["article"] or not term or is_verb_form(term.split(" ")[0], follower):
            break
        item = Mention(mention.article, term, match.end(), end)
        items.append(DefinitePhrase(item, _with_article(item, text), follower, shares_article=True))
        if match["last"]:
            # "The lid, and water flows" may open another clause.
            is_list = "," not in match["last"] or len(items) > 1
            return [first, *items] if is_list else [first]
    return [first]


def _with_article(mention: Mention, text: str) -> str:
    written = text[mention.start : mention.end]
    has_article = written.lower().startswith((f"{mention.article} ", f"{mention.article}\n"))
    return written if has_article else f"{mention.article} {written}"


def _follower(text: str, end: int) -> str:
    match = _FOLLOWER.match(text, end)
    return match[1].lower() if match else ""


def _is_inherent(mention: Mention, text: str) -> bool:
    """Whether a term names what needs no introduction: what is everywhere, or unique."""
    *before, noun = mention.term.split(" ")
    words = [*before, noun]
    noun = singular(noun)
    says_little = noun not in _INHERENT_ALONE or _SAYS_LITTLE.issuperset(before)
    is_counted = noun == "direction" and not ORDINALS.isdisjoint(before)
    if noun in _INHERENT and says_little and not is_counted:
        return True
    if words[0] in UNIQUE or words[0] in _NAMED_AFTER:
        return True
    if words[0].endswith("est") and words[0] not in _NO_SUPERLATIVE:
        return True
    return _holds_a_name(text[mention.start : mention.end].split())


def _is_defined(mention: Mention, end: int, text: str) -> bool:
    """Whether the words around a definite phrase, or a list of them, say what is meant."""
    if CITED.match(text, end):
        return True
    before = text[max(0, mention.start - _EXPLAINED_WITHIN) : mention.start]
    return mention.article == "the" and bool(_DEFINED.match(text, end) or _EXPLAINS.search(before))


def _holds_a_name(written: list[str]) -> bool:
    """Whether a term of several words has capitals in some, not all: "the Curie temperature"."""
    capitals = [word[:1].isupper() and word[1:].islower() for word in written[1:]]
    return any(capitals) and not all(capitals)
