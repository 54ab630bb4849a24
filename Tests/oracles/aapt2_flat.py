"""Reads the `.flat` files that `aapt2 compile` writes: a container of protocol buffers (AOSP, Resources.proto)."""

import struct

CATEGORIES = ["zero", "one", "two", "few", "many", "other"]


def fields(data):
    """The fields of a message as (number, value); a nested message is its bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            length = varint()
            yield key >> 3, data[position : position + length]
            position += length
        else:
            size = 8 if key & 7 == 1 else 4
            yield key >> 3, data[position : position + size]
            position += size


def first(data, number, default=b""):
    return next((value for found, value in fields(data) if found == number), default)


def tables(path):
    """The resource tables in a file."""
    with open(path, "rb") as file:
        data = file.read()
    magic, _, count = struct.unpack_from("<4sII", data)
    if magic != b"AAPT":
        raise ValueError(f"{path} is not a container of aapt2")
    position = 12
    for _ in range(count):
        kind, length = struct.unpack_from("<IQ", data, position)
        position += 12
        if kind == 0:
            yield data[position : position + length]
        position += (length + 3) & ~3


def item_text(item):
    """The text of an Item: a string, a raw or a styled one; None for a reference and others."""
    for number, value in fields(item):
        if number in (2, 3, 4):
            return first(value, 1).decode("utf-8", "replace")
    return None


def texts(path):
    """(name, category or index or None) -> text, of the strings, plurals and arrays in a file."""
    found = {}
    for table in tables(path):
        packages = [value for number, value in fields(table) if number == 2]
        types = [value for package in packages for number, value in fields(package) if number == 3]
        for resources in types:
            for entry in (value for number, value in fields(resources) if number == 3):
                name = first(entry, 2).decode()
                for config_value in (value for number, value in fields(entry) if number == 6):
                    if first(first(config_value, 1), 25):
                        continue  # a product
                    for part, text in value_texts(first(config_value, 2)):
                        if text is not None:
                            found[name, part] = text
    return found


def value_texts(value):
    for number, content in fields(value):
        if number == 4:
            yield None, item_text(content)
        elif number == 5:
            for kind, compound in fields(content):
                if kind == 4:
                    elements = [element for found, element in fields(compound) if found == 1]
                    for index, element in enumerate(elements):
                        yield index, item_text(first(element, 3))
                elif kind == 5:
                    for element in (element for found, element in fields(compound) if found == 1):
                        yield CATEGORIES[first(element, 3, 0)], item_text(first(element, 4))
