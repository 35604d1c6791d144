"""DynamicEval's two ideas, re-derived: is a thing's shape stable, and the background, under motion."""
