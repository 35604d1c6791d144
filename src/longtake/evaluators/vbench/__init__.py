"""VBench's dimensions for any film, by shots (Huang et al., CVPR 2024, arXiv 2311.17982)."""
