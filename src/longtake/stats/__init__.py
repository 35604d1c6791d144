"""Statistics over arrays: intervals, correlation, agreement, regression. No tables, no films."""
