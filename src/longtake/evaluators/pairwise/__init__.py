"""Two films beside each other before a judge, in pictures or in words."""
