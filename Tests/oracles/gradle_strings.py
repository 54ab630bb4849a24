"""Reads Android strings by the text rules of the Android Gradle plugin's resource compiler.

Written from its documented behaviour (docs/devices.md, "How a string is built"), not from its source, and without
looking at Dragoman's reader. It is slow and strict: a file that is not well-formed raises an error.
"""

import re
import unicodedata
from xml.parsers import expat

XLIFF = "urn:oasis:names:tc:xliff:document:1.2"
ESCAPES = {"n": "\n", "t": "\t"}


def is_space(character):
    """java.lang.Character.isWhitespace."""
    if character in "\u00a0\u2007\u202f":
        return False
    return unicodedata.category(character) in ("Zs", "Zl", "Zp") or character in "\t\n\v\f\r\x1c\x1d\x1e\x1f"


class Units:
    """The characters of a text with the marks that decide about its edges. One item is one UTF-16 code unit."""

    def __init__(self):
        self.units = []
        self.quoted = self.after_space = self.after_backslash = False
        self.first = self.last = None  # of what is not white space
        self.quotes = []
        self.sections = []
        self.has_span = False
        self.is_valid = True

    def span(self):
        self.has_span = True
        self.quoted = self.after_space = self.after_backslash = False

    def put(self, code):
        if code > 0xFFFF:
            code -= 0x10000
            self.units += [0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)]
        else:
            self.units.append(code)

    def text(self, chunk):
        position = 0
        while position < len(chunk):
            character = chunk[position]
            if is_space(character) and not self.quoted:
                if not self.after_space:
                    self.units.append(0x20)
                    self.after_backslash = False
                self.after_space = True
                position += 1
                continue
            self.after_space = False
            if self.first is None:
                self.first = len(self.units)
            position = self.character(chunk, position)

    def character(self, chunk, position):
        character = chunk[position]
        if self.after_backslash or character == "\\":
            if not self.after_backslash:
                position += 1
            self.after_backslash = position == len(chunk)
            if self.after_backslash:
                return position
            position = self.escape(chunk, position)
        elif character == '"':
            self.quoted = not self.quoted
            self.quotes.append(len(self.units))
            position += 1
        else:
            self.is_valid &= self.quoted or character != "'"
            self.put(ord(character))
            position += 1
        self.last = len(self.units)
        return position

    def escape(self, chunk, position):
        character = chunk[position]
        if character != "u":
            self.put(ord(ESCAPES.get(character, character)))
            return position + 1
        digits = chunk[position + 1 : position + 5]
        if not re.fullmatch("[0-9A-Fa-f]*", digits):
            self.is_valid = False
        else:
            self.put(int(digits or "0", 16))
        return position + 1 + len(digits)

    def result(self):
        """The text; None where the build fails."""
        if not self.is_valid:
            return None
        start, end = 0, len(self.units)
        if not self.has_span:
            if self.first is None:
                start, end = end, 0
            else:
                start, end = self.first, self.last or 0
                if self.quotes:
                    start = 0 if start < self.quotes[0] else self.quotes[0]
                    end = len(self.units) if end > self.quotes[-1] else self.quotes[-1]
            if self.sections:
                start, end = min(start, self.sections[0]), max(end, self.sections[-1])
        kept = self.units[start:end] if start < end else []
        encoded = b"".join(unit.to_bytes(2, "big") for unit in kept)
        # Java encodes a lone half of a pair as a question mark.
        return re.sub("[\ud800-\udfff]", "?", encoded.decode("utf-16-be", "surrogatepass"))


class File:
    """The strings of one values file: (name, category or index or None) -> text."""

    def __init__(self, path):
        self.texts = {}
        self.depth = 0
        self.resource = None  # type and name of the open resource
        self.part = None
        self.units = None
        self.inner = []
        self.count = 0
        parser = expat.ParserCreate(namespace_separator="\n")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = lambda data: self.units is not None and self.units.text(data)
        with open(path, "rb") as file:
            parser.ParseFile(file)

    def start(self, name, attributes):
        self.depth += 1
        space, _, local = name.rpartition("\n")
        if self.units is not None:
            if not space:
                self.units.span()
            elif space == XLIFF and local == "g":
                self.units.sections.append(len(self.units.units))
            self.inner.append((space, local))
        elif self.depth == 2 and not space:
            kind = attributes.get("type") if local == "item" else local
            if kind in ("string", "plurals", "string-array") and attributes.get("product", "default") == "default":
                self.resource, self.count = (kind, attributes.get("name")), 0
                if kind == "string":
                    self.part, self.units = None, Units()
        elif self.depth == 3 and self.resource and local == "item":
            self.part = attributes.get("quantity", "").strip() if self.resource[0] == "plurals" else self.count
            self.count += 1
            self.units = Units()

    def end(self, name):
        self.depth -= 1
        if self.units is not None and self.inner:
            space, local = self.inner.pop()
            if not space:
                self.units.span()
            elif space == XLIFF and local == "g":
                self.units.sections.append(len(self.units.units))
        elif self.units is not None:
            text = self.units.result()
            if text is not None:
                self.texts.setdefault((self.resource[1], self.part), text)
            self.units = None
        if self.depth == 1:
            self.resource = None
