"""Questions with four options about the story, answered with and without the film."""
