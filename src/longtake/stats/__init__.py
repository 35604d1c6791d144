"""Statistics over arrays: intervals, correlation, agreement, regression. NumPy and SciPy, no tables, no films."""
