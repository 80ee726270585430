"""The kinds of edits that are planted, and the negative controls."""

from __future__ import annotations

from benchmarks.marks.limitation_edits import (
    demote_to_known_claim,
    demote_to_new_claim,
    drop_back_reference,
    drop_limitation,
    promote,
)
from benchmarks.marks.planting import EditKind
from benchmarks.marks.reference_edits import (
    break_citation,
    cite_grandparent,
    cite_grandparent_too,
    drop_introducing_limitation,
    drop_introduction,
    rename,
    rename_in_places,
)
from benchmarks.marks.word_edits import (
    add_adverb,
    change_number,
    change_substance,
    choose_one,
    close_list,
    couple,
    drop_phrase,
    drop_qualifier,
    inflect,
    insert_claim,
    leave,
    letter_list,
    replace_in_one_claim,
    require_all,
)

EDITS = (
    EditKind("limitation into a new dependent claim", demote_to_new_claim),
    EditKind("limitation into a known dependent claim", demote_to_known_claim),
    EditKind("limitation into the independent claim", promote),
    EditKind("limitation dropped", drop_limitation),
    EditKind("limitation added", drop_limitation, is_reversed=True),
    EditKind("back-reference dropped", drop_back_reference),
    EditKind("word dropped", drop_qualifier),
    EditKind("word added", drop_qualifier, is_reversed=True),
    EditKind("adverb added", add_adverb),
    EditKind("phrase dropped", drop_phrase),
    EditKind("phrase added", drop_phrase, is_reversed=True),
    EditKind("and -> at least one of ... or", choose_one),
    EditKind("at least one of ... or -> and", choose_one, is_reversed=True),
    EditKind("at least one of -> all", require_all),
    EditKind("comprising -> consisting of", close_list),
    EditKind("consisting of -> comprising", close_list, is_reversed=True),
    EditKind("connected -> coupled", couple),
    EditKind("coupled -> connected", couple, is_reversed=True),
    EditKind("number or range changed", change_number),
    EditKind("direction or material changed", change_substance),
    EditKind("term renamed everywhere", rename),
    EditKind("term renamed in places", rename_in_places),
    EditKind("introduction made definite", drop_introduction),
    EditKind("introducing limitation dropped", drop_introducing_limitation),
    EditKind("parent without the antecedent", cite_grandparent),
    EditKind("one path without the antecedent", cite_grandparent_too),
    EditKind("citation broken", break_citation),
)
CONTROLS = (
    EditKind("unchanged", leave),
    EditKind("claim inserted, others renumbered", insert_claim),
    EditKind(
        "said -> the",
        replace_in_one_claim(r"(?<=\s)the(?=\s(?!same|other|least|first or)[a-z])", "said"),
        is_reversed=True,
    ),
    EditKind("letters before list elements", letter_list),
    EditKind("semicolons -> commas", replace_in_one_claim(r";(?=\s)", ",")),
    EditKind("line breaks in lists", replace_in_one_claim(r";\s(?=\S)", ";\n   ")),
    EditKind(
        "wording of citations", replace_in_one_claim(r"(?<=\s)of(?=\sclaim\s\d)", "according to")
    ),
    EditKind(
        "reference numerals dropped", replace_in_one_claim(r"\s\((?:\d+[a-z]?(?:,\s)?)+\)", "")
    ),
    EditKind("inflection", inflect),
)
