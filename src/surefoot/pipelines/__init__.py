"""Pipelines that can be asked: a user's function, command or server, a trace file, a chat model, or our own."""

from surefoot.pipelines.loading import Options, load

__all__ = ["Options", "load"]
