"""The council with models in it: they answer, review each other's answers blindly, and a chair may sum up."""

from surefoot.deliberation.stages import Deliberation, deliberate

__all__ = ["Deliberation", "deliberate"]
