"""Words that planted edits exchange, and the patterns of those that they drop."""

import re
from typing import Final

_ADJECTIVE = (
    r"[a-z]+(?:ous|ive|ical|ular|able|ible|ic|ial|onal|ental|ed)|[a-z]+-(?:shaped|specific|defined"
    r"|like)|random|flat|rigid|continuous|hollow|elastic|wireless|unique|movable|thin|thick|metallic"
    r"|linear|removable|circular|transparent|insulating|conductive|tapered|elongated|raised"
)
_NO_ADJECTIVE = (
    r"(?:bed|feed|seed|need|speed|table|cable|variable|objective|drive|logic|fabric|topic|metric"
    r"|initial|respective|associated|said|based|corresponding|executive|material|serial|potential"
    r"|traffic|graphic|music|mosaic|public|specified|related|used|provided|trial|dielectric|differential)\b"
)
QUALIFIER: Final = re.compile(
    rf"\b(?:(?P<article>an?|the|said)\s+)(?P<cut>(?!{_NO_ADJECTIVE})(?P<word>{_ADJECTIVE})\s+)"
    r"(?P<noun>(?!and\b|or\b|to\b|in\b|on\b|by\b|of\b|at\b|for\b|from\b|with\b)[a-z]{4,})\b"
)
"""An article, an adjective and a noun."""
LOOSE_WORDS: Final = frozenset(
    [
        "substantially",
        "generally",
        "approximately",
        "essentially",
        "about",
        "possible",
        "available",
        "suitable",
        "selected",
        "desired",
        "given",
        "required",
        "detected",
        "determined",
        "received",
        "generated",
        "predetermined",
        "obtained",
        "stored",
        "dynamic",
    ]
)
NUMBER_WORDS: Final = {"two": "three", "three": "four", "four": "five", "five": "six"}
UNITS: Final = re.compile(
    r"(?<![\w.,(/-])(?P<low>\d+(?:\.\d+)?)(?:\s?(?:to|and|-|\u2013)\s?(?P<high>\d+(?:\.\d+)?))?"
    r"(?=\s?(?:°|%|\\u00b0|degrees?\b|percent\b|[mcnuµk]?m\b|ms\b|seconds?\b|minutes?\b|hours?\b"
    r"|inch(?:es)?\b|wt\b|mol\b|[kMG]?Hz\b|psi\b|pounds?\b|parts\b|mg\b|kg\b|ml\b|volts?\b|MPa\b"
    r"|K\b|V\b))"
)
"""A number or a range before a unit."""
_OPPOSITES = """
upper:lower inner:outer inside:outside above:below front:rear top:bottom proximal:distal
horizontal:vertical longitudinal:transverse upstream:downstream input:output narrowband:wideband
manual:automatic wired:wireless analog:digital positive:negative n-type:p-type before:after
increase:decrease increases:decreases increasing:decreasing higher:lower parallel:perpendicular
maximum:minimum internal:external opened:closed inward:outward compressive:tensile
"""
_PAIRS = [pair.split(":") for pair in _OPPOSITES.split()]
CONTRASTS: Final = {
    one: other
    for left, right in _PAIRS
    for one, other in ((left, right), (right, left))
    if (one, other) != ("lower", "higher")
}
_OTHER_MATERIALS = """
GaN:ZnO AlN:SiN InGaN:CdTe AlGaN:GaAs Mg:Si kerosene:gasoline sulfur:nitrogen polymer:ceramic
thermoplastic:thermosetting plastic:glass metal:wood steel:aluminum silicon:germanium
copper:silver rubber:felt Acetobacter:Lactobacillus Gluconobacter:Streptococcus water:ethanol
food:fertilizer cosmetic:detergent elastomer:ceramic stitching:riveting
"""
MATERIALS: Final = dict(pair.split(":") for pair in _OTHER_MATERIALS.split())
_NOUNS = """
cartridge:magazine handpiece:handle vessel:tank chamber:compartment apparatus:machine layer:film
device:appliance element:component unit:module server:host mode:state zone:area alert:notification
message:note vehicle:automobile interface:port upper:shaft film:membrane gas:fluid fluid:liquid
tray:pan lid:cap cover:hood lens:optic lumen:channel opening:aperture aperture:opening body:housing
processor:controller controller:processor sensor:detector signal:waveform module:block file:record
portion:section region:domain member:piece structure:framework oil:grease temperature:heat
circuit:network coil:winding passage:duct needle:pin thread:filament hook:catch housing:casing
blade:cutter rotor:spinner plate:panel surface:face composition:formulation bacterium:microbe
modem:adapter area:zone camera:imager roller:drum image:picture user:operator display:screen
request:query segment:strip substrate:carrier step:stage head:nozzle string:cord tray:pan bowl:basin
"""
OTHER_NOUNS: Final = dict(pair.split(":") for pair in _NOUNS.split())
_PARTS = """
amount direction edge end height length number plane position rate second side surface third value
width
"""
PARTS_OF_ALL: Final = frozenset(_PARTS.split())
"""Nouns of properties and parts that things have anyhow, and words that are read as nouns."""
INFLECTED: Final = re.compile(
    r"(?<=[a-z)]\s)(?:that|which)\s(?:(?:is|are)\s(?P<participle>(?:formed|disposed|located|provided"
    r"|arranged|mounted|attached|connected|configured|obtained|captured|selected)\b)"
    r"|(?P<stem>includ|compris|describ|provid|enabl|surround|exhaust|generat|receiv"
    r"|switch|detect|stor|caus|contain|rotat|connect)(?:e?s)\b)"
)
"""A relative clause that a participle can stand for."""
