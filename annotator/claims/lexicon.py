"""Owns the general word pairs with which claim text is damaged or harmlessly reworded."""

WordPairs = tuple[tuple[str, str], ...]

# Other names for one thing: two of them in one claim set are an inconsistency.
RENAMINGS: WordPairs = (
    ("housing", "enclosure"),
    ("controller", "supervisor"),
    ("processor", "computing core"),
    ("sensor", "probe"),
    ("memory", "storage"),
    ("device", "apparatus"),
    ("member", "part"),
    ("unit", "module"),
    ("signal", "indication"),
    ("composition", "mixture"),
)

# Sayings that mean the same in a claim; the first may become the second anywhere.
REWORDINGS: WordPairs = (
    ("configured to", "adapted to"),
    ("further comprising", "additionally comprising"),
    ("at least one", "one or more"),
    ("attached to", "fastened to"),
    ("secured to", "fixed to"),
    ("greater than", "above"),
    ("less than", "below"),
    ("in response to", "in reaction to"),
    ("is selected from", "is chosen from"),
    ("is made of", "is formed of"),
    ("in an amount of", "amounting to"),
    ("by means of", "using"),
    ("so that", "such that"),
    ("carry out", "execute"),
    ("for each", "for every"),
    ("wherein", "in which"),
)

# Words that blur a limitation; the first is a place, the second what stands there afterwards.
MUDDLES: WordPairs = (
    ("configured to", "possibly configured, as appropriate, to"),
    ("adapted to", "possibly adapted, as appropriate, to"),
    ("arranged", "suitably or otherwise arranged"),
    ("connected", "in some manner associated or connected"),
    ("comprises", "comprises or may comprise, or the like,"),
    ("when", "when or about when"),
    ("which", "which, roughly speaking,"),
    ("that is", "that is more or less"),
)

# Endings that leave a limitation open.
BLURRED_ENDINGS = (
    ", or something of that kind",
    ", if appropriate",
    ", as the case may be",
    ", or the like",
    ", in a suitable manner or not",
    ", substantially so",
)
