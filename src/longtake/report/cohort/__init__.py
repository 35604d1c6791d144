"""What many diagnoses say together, for people and for other programs: tables, figures, one page."""
