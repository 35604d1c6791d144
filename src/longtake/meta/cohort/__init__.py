"""Analyses over many diagnoses: pure functions of a table of cases and metrics."""
