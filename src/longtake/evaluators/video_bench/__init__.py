"""Video-Bench's nine dimensions, one film in each question."""
