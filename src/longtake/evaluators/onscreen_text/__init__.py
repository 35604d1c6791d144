"""Text in the picture: whether what the brief asks for is there and right, and whether it stays the same."""
