"""Judges: how a question reaches a model that sees pictures, and how its reply becomes a verdict.

Nothing here is imported before a judge is asked for: ``openai_judge`` needs the package openai.
"""
