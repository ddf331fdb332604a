"""Pages of results: `of` makes one of a result; terminal, Markdown, HTML and JUnit show it."""

from surefoot.report.blocks import of as of
