"""Approximate: the density of every class."""
