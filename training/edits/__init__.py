"""Small changes after which a passage no longer bears a sentence out."""

from training.edits.every_kind import Edit, edits

__all__ = ["Edit", "edits"]
