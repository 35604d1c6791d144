"""Studies: what tables of measurements say of an evaluator, with intervals."""
