"""Recipes and importers: what others measured or collected, in our words."""
