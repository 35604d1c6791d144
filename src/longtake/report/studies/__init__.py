"""What a study says, for people and for other programs: tables, figures, sentences, one page."""
