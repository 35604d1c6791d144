"""A package that brings evaluators, as others would write one."""
