"""Completion for fish."""
import tree


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def condition(path, command, program):
    seen = [f"__fish_seen_subcommand_from {word}" for word in path]
    if command["verbs"]:
        verbs = " ".join(verb["name"] for verb in command["verbs"])
        seen.append(f"not __fish_seen_subcommand_from {verbs}")
    return "; and ".join(seen)


def values(option, program):
    listed = tree.choices(option, program)
    words = []
    if listed and option["list"]:
        words.append("-x -a " + quoted(f"(__fish_append , {' '.join(listed)})"))
    elif listed:
        words.append(("-r -F" if tree.is_path(option) else "-x") + " -a " + quoted(" ".join(listed)))
    elif option["values"] == "folder":
        words.append("-x -a '(__fish_complete_directories)'")
    elif tree.is_path(option):
        words.append("-r -F")
    else:
        words.append("-x")
    return words


def flag(name):
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}"


def completion(program):
    name = program["name"]
    lines = [f"# fish completion for {name}, made from its own table of verbs and options."]
    if program["verbs"]:
        lines.append(f"complete -c {name} -f")
    for path, command in tree.commands(program):
        when = condition(path, command, program)
        start = f"complete -c {name}" + (f" -n {quoted(when)}" if when else "")
        for verb in command["verbs"]:
            lines.append(f"{start} -a {verb['name']} -d {quoted(tree.first_sentence(verb['help']))}")
        for option in command["options"]:
            words = [start] + [flag(each) for each in option["names"]]
            if tree.takes_value(option):
                words += values(option, program)
            lines.append(" ".join(words + ["-d", quoted(tree.first_sentence(option["help"]))]))
        for positional in command["positionals"][:1]:
            listed = tree.choices(positional, program)
            if listed:
                lines.append(f"{start} -a {quoted(' '.join(listed))}")
            if tree.is_path(positional):
                lines.append(f"{start} -F")
    return "\n".join(lines) + "\n"
