"""Manual pages: one for each program, and one for each verb of reelgrid-cli."""
import datetime
import os
import re

import tree

FILES = {
    "~/.cache/reelgrid": "libtorch's CUDA half, where `reelgrid-cli setup cuda` has fetched it",
    "~/.cache/huggingface/hub": "models of the Hugging Face hub ($HF_HUB_CACHE)",
    "~/.local/share/reelgrid/backends": "attention backends of your own ($REELGRID_BACKEND_PATH)",
}
EXIT = "0 when all went well, 1 when something failed, 2 when the command line can't be understood."


def roff(text):
    """Text as troff takes it: nothing in it is a command, and a hyphen is a hyphen."""
    # A grammar without spaces may be broken behind its commas and bars.
    text = re.sub(r"\S{40,}", lambda word: re.sub(r"([,|])", "\\1\0", word[0]), text)
    lines = text.replace("\\", "\\e").replace("-", "\\-").replace("\0", "\\:").splitlines()
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def date():
    """Of the sources where $SOURCE_DATE_EPOCH says it."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%d")


def head(page, program, summary):
    return [f'.TH {roff(page.upper())} 1 "{date()}" "ReelGrid {program["version"]}" "User Commands"',
            ".SH NAME", f"{roff(page)} \\- {roff(summary[0].lower() + summary[1:])}"]


def options(command):
    lines = []
    for option in command["options"]:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
        value = f" \\fI{roff(option['type'])}\\fR" if option["type"] else ""
        text = option["help"]
        if option["default"] and option["values"] is not None:
            text += f" (default: {option['default']})"
        lines += [".TP", names + value, roff(text[0].upper() + text[1:]) if text else ""]
    return lines


def synopsis(path, command):
    words = " ".join(f"\\fB{roff(word)}\\fR" for word in path)
    words += " [\\fIOPTIONS\\fR]" if command["options"] else ""
    for positional in command["positionals"]:
        name = f"\\fI{roff(positional['names'][0].upper())}\\fR"
        name += "..." if positional["list"] else ""
        words += f" {name}" if positional["required"] else f" [{name}]"
    return words + (" \\fIVERB\\fR" if command["verbs"] else "")


def positionals(command):
    lines = []
    for positional in command["positionals"]:
        lines += [".TP", f"\\fI{roff(positional['names'][0].upper())}\\fR", roff(positional["help"])]
    return lines


def verb_page(program, verb):
    path = (program["name"], verb["name"])
    lines = head("-".join(path), program, verb["help"].rstrip("."))
    lines += [".SH SYNOPSIS"]
    parts = [(path, verb)] if not verb["verbs"] else [(path + (each["name"],), each) for each in verb["verbs"]]
    for where, command in parts:
        lines += [synopsis(where, command), ".br"]
    if not verb["verbs"]:
        lines += [".SH DESCRIPTION", roff(verb["help"].rstrip(".") + ".")] + positionals(verb) + [".SH OPTIONS"] + options(verb)
    for where, command in parts if verb["verbs"] else []:
        lines += [f".SH {roff(' '.join(where[1:]).upper())}", roff(command["help"].rstrip(".") + ".")]
        lines += positionals(command) + options(command)
    if verb["footer"].strip():
        lines += [".SH NOTES", roff(verb["footer"].strip())]
    lines += [".SH EXIT STATUS", roff(EXIT), ".SH SEE ALSO", f"\\fB{roff(program['name'])}\\fR(1), \\fBreelgrid\\fR(1)"]
    return "\n".join(lines) + "\n"


def program_page(program):
    name = program["name"]
    lines = head(name, program, program["help"].split(":")[0].rstrip("."))
    lines += [".SH SYNOPSIS", synopsis((name,), program), ".SH DESCRIPTION", roff(program["help"])] + positionals(program)
    if program["verbs"]:
        lines += [".SH VERBS"]
        for verb in program["verbs"]:
            lines += [".TP", f"\\fB{roff(verb['name'])}\\fR", roff(verb["help"].rstrip(".") + ".")]
        lines += [".PP", f"\\fB{roff(name + '-')}\\fIVERB\\fR(1) tells each one's options, as \\fB\\-\\-help\\fR does."]
    lines += [".SH OPTIONS"] + options(program)
    if program["footer"].strip():
        lines += [".SH NOTES", roff(program["footer"].strip())]
    lines += [".SH FILES"]
    for path, what in FILES.items():
        lines += [".TP", f"\\fI{roff(path)}\\fR", roff(what)]
    others = [f"{name}-{verb['name']}" for verb in program["verbs"]]
    others = others or ["reelgrid-cli"]
    lines += [".SH EXIT STATUS", roff(EXIT), ".SH SEE ALSO"]
    lines += [",\n".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def pages(program):
    found = {program["name"]: program_page(program)}
    for verb in program["verbs"]:
        found[f"{program['name']}-{verb['name']}"] = verb_page(program, verb)
    return found
