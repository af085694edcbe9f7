#!/usr/bin/env python3
"""check_documents.py SOURCE_DIR [PROGRAM...]: holds README and docs to the tree and to the programs.

Links lead to files and headings that exist; an option that a document names with a verb exists in that verb's --help, any
other in some verb's; each environment variable that code reads is in docs/reference/environment.md. Prints one line per
fault; exit code 1 where there is one.
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9_-]*[a-z0-9])")
COMMAND = re.compile(r"(?<![\w./-])(reelgrid-cli|reelgrid)((?: [a-z0-9-]+(?!\w))*)")


def documents(root):
    names = [os.path.join(root, name) for name in ("README.md", "CONTRIBUTING.md")]
    for folder, folders, files in os.walk(os.path.join(root, "docs")):
        names += [os.path.join(folder, file) for file in files if file.endswith(".md")]
    return sorted(names)


def anchors(text):
    """Headings as the usual Markdown viewers name them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


def broken_links(root):
    for name in documents(root):
        text = open(name, encoding="utf-8").read()
        for target, anchor in re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            where = os.path.relpath(name, root)
            if not os.path.exists(path):
                yield f"{where}: link to {target}: no such file"
            elif anchor and path.endswith(".md") and anchor not in anchors(open(path, encoding="utf-8").read()):
                yield f"{where}: link to {target}#{anchor}: no such heading"


def unlisted_variables(root):
    listed = open(os.path.join(root, "docs/reference/environment.md"), encoding="utf-8").read()
    for top in ("app", "core", "kernels", "widgets", "packaging", "cmake", "tests"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for file in files:
                path = os.path.join(folder, file)
                if os.path.islink(path) or os.path.getsize(path) > 1 << 20:
                    continue
                try:
                    text = open(path, encoding="utf-8").read()
                except UnicodeDecodeError:
                    continue
                if file.endswith((".cpp", ".h", ".cu")):
                    used = re.findall(r'(?:getenv|environment\w*|qEnvironment\w*)\(\s*"((?:REELGRID|HF)_[A-Z0-9_]+)"', text)
                elif top == "packaging" or file.endswith((".py", ".sh")) or "." not in file:
                    used = re.findall(r"\$\{?(REELGRID_[A-Z0-9_]+)", text)
                else:
                    continue
                for variable in sorted(set(used)):
                    if f"`{variable}`" not in listed:
                        yield f"{os.path.relpath(path, root)}: {variable} isn't in docs/reference/environment.md"


def actions_apart(root):
    """The table of the window's actions has each of them once, and nothing else."""
    source = open(os.path.join(root, "app/studio/action_table.cpp"), encoding="utf-8").read()
    actions = re.findall(r'ActionEntry\{\s*"([a-z0-9-]+)"', source)
    page = "docs/reference/actions.md"
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|", open(os.path.join(root, page), encoding="utf-8").read(), re.M)
    for action in actions:
        if rows.count(action) != 1:
            yield f"{page}: {action} has {rows.count(action)} rows, 1 was needed"
    for row in sorted(set(rows) - set(actions)):
        yield f"{page}: {row} is no action of the window"


def unknown_verbs(root, cli):
    verbs = verbs_of(cli)
    page = "docs/reference/actions.md"
    for row in re.findall(r"^\| `[a-z0-9-]+` \| .* \| (.*) \|$", open(os.path.join(root, page), encoding="utf-8").read(), re.M):
        named = re.match(r"`([a-z][a-z ]*)`(.*)", row)
        if not named:
            if row not in ("looks", "none yet"):
                yield f"{page}: {row}: a verb, looks or none yet was needed"
            continue
        words = tuple(named.group(1).split())
        if words not in verbs:
            yield f"{page}: {' '.join(words)}: no such verb"
            continue
        known = set().union(*(verbs[words[:i]] for i in range(len(words) + 1)))
        if words == ("backends",):
            known |= verbs[("render",)]
        for option in OPTION.findall(named.group(2)):
            if option not in known:
                yield f"{page}: {' '.join(words)}: {option}: its --help has no such option"


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60).stdout


def verbs_of(program):
    """Every verb and verb of a verb, with the options of its --help."""
    options = {}

    def look(words):
        text = help_of(program, words)
        options[tuple(words)] = set(OPTION.findall(text))
        listed = re.search(r"^(?:SUBCOMMANDS|Subcommands):\n((?:.+\n?)*)", text, re.M)
        for verb in re.findall(r"^  ([a-z][a-z-]*)", listed.group(1), re.M) if listed else []:
            look([*words, verb])

    look([])
    return options


def spellings(root):
    """Names of options in other programs, which are taken, but not in --help."""
    source = open(os.path.join(root, "app/cli/option_spelling.cpp"), encoding="utf-8").read()
    return set(re.findall(r'std::pair\{"(--[a-z-]+)"', source))


def unknown_options(root, cli, studio):
    old = spellings(root)
    verbs = verbs_of(cli)
    window = set(OPTION.findall(help_of(studio, [])))
    for name in documents(root):
        if "/docs/log/" in name:
            continue  # what was run then
        where = os.path.relpath(name, root)
        text = re.sub(r"\\\n\s*", " ", open(name, encoding="utf-8").read())
        for line in text.splitlines():
            for match in COMMAND.finditer(line):
                command = re.split(r"\s#\s|`|&&|\|", line[match.start():])[0]
                asked = OPTION.findall(command)
                if match.group(1) == "reelgrid":
                    known = window
                else:
                    words = match.group(2).split()
                    while words and tuple(words) not in verbs:
                        words.pop()
                    if not words:
                        continue
                    known = old.union(*(verbs[tuple(words[:i])] for i in range(len(words) + 1)))
                for option in asked:
                    if option.replace("_", "-") not in known:
                        yield f"{where}: {match.group(0).strip()}: {option}: its --help has no such option"


def main():
    root = os.path.abspath(sys.argv[1])
    faults = [*broken_links(root), *unlisted_variables(root), *actions_apart(root)]
    if len(sys.argv) > 3:
        faults += [*unknown_options(root, sys.argv[2], sys.argv[3]), *unknown_verbs(root, sys.argv[2])]
    for fault in dict.fromkeys(faults):
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
