"""Damaged copies of real films: what an operator is given, whole suites, and sheets to look at."""
