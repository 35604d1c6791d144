"""VideoText: how well each shot fits its own text, in the mean."""
