"""One way to write a date, and no time without its zone: "25 Nov 2026, 14:03 CET"."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i T"
DATETIME_FORMAT = "j M Y, H:i T"
