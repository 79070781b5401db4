"""Hostile and odd input: strategies of hypothesis, and the judge of how each example ended."""
