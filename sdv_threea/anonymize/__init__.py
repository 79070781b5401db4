"""Anonymize: records replaced by noisy mixtures of their cells."""
