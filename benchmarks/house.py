"""How large is the house? Plain counting over src, by package.

    python benchmarks/house.py [FOLDER]

Lines of files as they are, files, functions and classes; imports of our own modules inside functions; files that only
one other file imports.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "src" / "surefoot")
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        package = parts[0] if len(parts) > 1 else "."
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        hidden = [inner for node in functions for inner in ast.walk(node) if _is_own(inner)]
        counts[package] += Counter(
            files=1,
            lines=text.count("\n"),
            functions=len(functions),
            classes=sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree)),
            hidden=len(hidden),
        )
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_own(node):
                for alias in node.names:
                    importers[f"{node.module}.{alias.name}"].add(str(path))
                importers[str(node.module)].add(str(path))
    names = ("files", "lines", "functions", "classes", "hidden")
    print(f"{'package':14}" + "".join(f"{name:>11}" for name in names))
    for package, found in sorted(counts.items()):
        print(f"{package:14}" + "".join(f"{found[name]:11,}" for name in names))
    whole = sum(counts.values(), Counter[str]())
    print(f"{'all':14}" + "".join(f"{whole[name]:11,}" for name in names))
    print(f"files with one importer: {sum(len(importers[_module(path, root)]) == 1 for path in root.rglob('*.py'))}")


def _is_own(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "surefoot"


def _module(path: Path, root: Path) -> str:
    return ".".join(("surefoot", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")


if __name__ == "__main__":
    main()
