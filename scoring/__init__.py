"""The measuring house: datasets, metrics, PatClaimEval, agreement."""
