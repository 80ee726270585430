"""Agreement among people: coefficients, intervals, severity, planning; no Django, no torch."""
