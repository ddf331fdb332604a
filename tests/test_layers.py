"""Imports only point down, never in circles, and never hide inside functions without a reason."""

from __future__ import annotations

import ast
from pathlib import Path

import surefoot

ROOT = Path(surefoot.__file__).parent

LAYER = {
    "types": "0", "errors": "0",
    "text": "1", "stats": "1", "problems": "1", "rubric": "1", "table": "1", "safety": "1",
    "records": "1",
    "io": "1b files",
    "datasets": "2a make", "pipelines": "2a make", "graders": "2a make", "models": "2a make",
    "outcomes": "2b decide", "gate": "2b decide", "advice": "2b decide", "scorecard": "2b decide",
    "reviewers": "2b decide", "factors": "2b decide", "calibration": "2b decide",
    "store": "3 run", "regrade": "3 run", "ledger": "3 run",
    "report": "4 show",
    "label": "5 apps", "reviewers.prompts": "5 apps", "reviewers.panel": "5 apps",
    "services": "5 apps", "scoring": "5 apps", "cli": "5 apps", "__init__": "5 apps",
}  # fmt: skip
MAY_IMPORT = {
    "0": {"0"},
    "1": {"0", "1"},
    "1b files": {"0", "1", "1b files"},
    "2a make": {"0", "1", "1b files", "2a make"},
    "2b decide": {"0", "1", "2b decide"},
    "3 run": {"0", "1", "1b files", "3 run"},
    "4 show": {"0", "1", "2b decide", "4 show"},
    "5 apps": set(LAYER.values()),
}
# Heavy or optional, so imported where they are used.
HIDDEN_ALLOWED = {"anthropic", "openai", "rich", "yaml", "surefoot"}


def layer_of(module: str) -> str:
    return LAYER.get(module) or LAYER[module.split(".")[0]]


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports_of(tree: ast.AST, known: set[str]) -> set[str]:
    """The surefoot modules a module imports, as dotted names below the package."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "surefoot":
            base = (node.module or "").removeprefix("surefoot").removeprefix(".")
            for alias in node.names:
                name = f"{base}.{alias.name}".strip(".")
                found.add(name if name in known else base or "__init__")
    return found


def test_every_module_has_a_layer_and_imports_only_downwards() -> None:
    trees = modules()
    for name, tree in trees.items():
        layer = layer_of(name)
        for imported in imports_of(tree, set(trees)):
            below = layer_of(imported)
            assert below in MAY_IMPORT[layer], f"{name} (layer {layer}) imports {imported} (layer {below})"


def test_no_import_cycles() -> None:
    trees = modules()
    graph = {
        name: imports_of(tree, set(trees)) - {name, "__init__"} for name, tree in trees.items() if name != "__init__"
    }
    done: set[str] = set()
    while len(done) < len(graph):
        free = {name for name, needs in graph.items() if name not in done and needs & graph.keys() <= done}
        assert free, f"a cycle among {sorted(graph.keys() - done)}"
        done |= free


def test_imports_are_at_the_top_unless_heavy() -> None:
    for name, tree in modules().items():
        for function in (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))):
            for node in ast.walk(function):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                for imported in names:
                    assert imported.split(".")[0] in HIDDEN_ALLOWED, f"{name}.{function.name} imports {imported}"


def test_the_deciding_layer_does_no_io_and_reads_no_clock() -> None:
    forbidden = {"open", "print", "input"}
    for name, tree in modules().items():
        if layer_of(name) not in ("2b decide", "1", "0"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, f"{name} calls {node.func.id}"
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                assert not {n.split(".")[0] for n in names} & {"random", "time", "os", "pathlib", "datetime"}, name


def test_functions_and_files_stay_short() -> None:
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 350, f"{path.name} has two ideas"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                length = node.end_lineno - (node.body[0].lineno if node.body else node.lineno)
                assert length <= 50, f"{path.name}: {node.name} has {length} lines"
