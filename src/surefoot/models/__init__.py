"""Trained models: running them, not deciding with them. They need heavy libraries, so they are imported where used."""
