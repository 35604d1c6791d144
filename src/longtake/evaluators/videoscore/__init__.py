"""VideoScore and VideoScore2: models that were trained on people's scores of generated clips."""
