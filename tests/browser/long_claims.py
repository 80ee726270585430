"""A reference of a hundred claims and a candidate that differs from it, for the browser tests."""

CLAIMS = 100
PARTS = ("spring", "seal", "valve", "bearing", "sensor", "cover", "flange", "gasket", "lever")
# Of parts and materials together no two claims have the same.
METALS = ("brass", "bronze", "copper", "nickel", "silver", "steel", "tin")
MATERIALS = (*METALS, "carbon", "ceramic", "glass", "nylon")
LACKING = "23. The pump of claim 1, wherein a lamp lights a dial that is painted on enamel."


def hundred(*, is_candidate: bool = False) -> str:
    """Return claims as long as those of granted patents (31 words); the candidate differs.

    It changes each tenth claim, lacks claim 23 and has one that is its own.
    """
    claims = [
        "1. A pump comprising a housing (10), a rotor (12) that is mounted in the housing, and a "
        "controller (14) configured to stop the rotor when a pressure exceeds a limit."
    ]
    for number in range(2, CLAIMS + 1):
        if number == 23:
            claims.extend([LACKING] * (not is_candidate))
            continue
        part, other = f"{MATERIALS[number % 11]} {PARTS[number % 9]}", PARTS[(number + 4) % 9]
        parent = 1 if number % 7 == 2 or number == 24 else number - 1
        where = "behind" if is_candidate and number % 10 == 0 else "between the rotor and"
        claims.append(
            f"{number}. The pump of claim {parent}, wherein the housing (10) holds a {part} of "
            f"type {number}, the {part} being arranged {where} a {other} joined to the shaft."
        )
    if is_candidate:
        claims.append("101. The pump of claim 1, wherein a camera films a display made of glass.")
    return "\n".join(claims)
