"""Encoding: what a table looks like, privately described, and its records as codes."""
