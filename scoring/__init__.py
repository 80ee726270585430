"""Machines score: datasets, metrics, PatClaimEval, agreement."""
