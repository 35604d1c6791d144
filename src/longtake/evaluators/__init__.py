"""Evaluators, one folder or module each, with their cards as data."""
