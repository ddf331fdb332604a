"""surefoot completion"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_VARIABLE = "_SUREFOOT_COMPLETE"  # by which click knows that a shell asks, not a person

# A zsh that was not set up to complete anything is.
_ZSH = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u; }\n"


@click.command(epilog="Example: echo 'eval \"$(surefoot completion bash)\"' >> ~/.bashrc")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for completion with the Tab key.

    In fish: surefoot completion fish > ~/.config/fish/completions/surefoot.fish
    """
    made = get_completion_class(shell)
    if made is not None:
        script = made(ctx.find_root().command, {}, "surefoot", _VARIABLE).source()
        if shell == "zsh":
            script = _ZSH + script
        # Our descriptions have commas, at which the script for fish would cut them off.
        click.echo(script.replace('string split ","', 'string split -m 1 ","'))
