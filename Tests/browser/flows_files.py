"""What is served is the code of the repository, without its comments and spaces."""

import re
import urllib.request

import tree_sitter_css
import tree_sitter_javascript
from tree_sitter import Language, Parser

import gateway

WEB = gateway.HERE.parent.parent / "Sources/API/Console/Web"
LANGUAGES = {".js": tree_sitter_javascript, ".css": tree_sitter_css}


def tokens(source, language):
    """The tokens of a source, in order, except comments."""
    tree = Parser(Language(language.language())).parse(source)
    assert not tree.root_node.has_error, "it can be parsed"
    found, waiting = [], [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type in ("comment", "js_comment"):
            continue
        if node.type in ("string", "regex", "string_value") or not node.child_count:
            found.append((node.type, node.text))
        else:
            waiting += reversed(node.children)
    return found


def test_serves_the_code_of_the_repository(bench):
    count = 0
    for path in sorted(each for each in WEB.rglob("*") if each.is_file()):
        name = path.relative_to(WEB).as_posix()
        address = "/" if name == "index.html" else f"/console/{name}"
        with urllib.request.urlopen(bench.url + address) as answer:
            served = answer.read()
        source = path.read_bytes()
        if language := LANGUAGES.get(path.suffix):
            assert tokens(served, language) == tokens(source, language), name
            assert len(served) < len(source), name
            count += 1
        else:
            assert served == source, name
    assert count > 40, count


def test_imports_in_no_circle(bench):
    imports = {path: [(path.parent / name).resolve() for name in re.findall(r'^import [^;]*?from "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)]
               for path in WEB.resolve().rglob("*.js")}
    assert sum(map(len, imports.values())) > 100, "the imports are found"
    while leaves := [path for path, used in imports.items() if not any(each in imports for each in used)]:
        for path in leaves:
            del imports[path]
    assert imports == {}, "these import each other"
