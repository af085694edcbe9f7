"""What the three shells and the manual have in common: walking verbs, and the values of an option."""


def commands(program, path=()):
    """Every (path, command), the program itself first: path is ("bench", "attention")."""
    yield path, program
    for verb in program["verbs"]:
        yield from commands(verb, path + (verb["name"],))


def choices(option, program):
    """The values that can be listed; None where there is no list."""
    values = option["values"]
    if values == "backend":
        return program["backends"]
    if values == "model":
        return program["models"]
    return values if isinstance(values, list) else None


def is_path(option):
    return option["values"] in ("file", "folder", "model") or "FILE" in option["names"]


def takes_value(option):
    return option["values"] is not None


def first_sentence(text):
    """Short enough for a menu: up to the first colon, semicolon or bracket past a few words."""
    for mark in (": ", "; ", " ("):
        head = text.split(mark)[0]
        if len(head) > 12:
            text = head
    return text
