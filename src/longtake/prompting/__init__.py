"""Personalised prompts: p = g(m, u), a brief in the words of one profile."""

from .personal import together, write_prompt, write_prompts

__all__ = ["together", "write_prompt", "write_prompts"]
