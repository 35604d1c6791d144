"""What several evaluators share: spans of planned shots, measurements, questions to a judge, frames."""
