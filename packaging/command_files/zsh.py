"""Completion for zsh."""
import tree


def escaped(text):
    """Inside an _arguments specification in single quotes."""
    for mark in "\\[]:":
        text = text.replace(mark, "\\" + mark)
    return text.replace("'", "'\\''")


def action(option, program):
    listed = tree.choices(option, program)
    parts = []
    if listed and option["list"]:
        parts.append("_values -s , value " + " ".join(listed))
    elif listed:
        parts.append("(" + " ".join(listed) + ")")
    elif option["values"] == "folder":
        parts.append("_files -/")
    elif tree.is_path(option):
        parts.append("_files")
    return parts[0] if parts else " "


def specification(option, program):
    text = "[" + escaped(tree.first_sentence(option["help"])) + "]"
    value = f":{escaped(option['type'].lower() or 'value')}:{action(option, program)}" if tree.takes_value(option) else ""
    names = option["names"]
    if len(names) == 1:
        return f"'{names[0]}{text}{value}'"
    return "'(" + " ".join(names) + ")'{" + ",".join(names) + "}'" + text + value + "'"


def function_name(program, path):
    return "_" + "_".join([program["name"].replace("-", "_"), *path])


def function(program, path, command):
    lines = [f"{function_name(program, path)}() {{"]
    options = [specification(option, program) for option in command["options"]]
    if command["verbs"]:
        lines += ["    local curcontext=$curcontext state line", "    typeset -A opt_args", "    _arguments -C \\"]
        lines += [f"        {option} \\" for option in options]
        lines += ["        '1: :->verb' '*:: :->rest'", "    case $state in", "        verb)", "            local -a verbs=("]
        for verb in command["verbs"]:
            text = escaped(tree.first_sentence(verb["help"]))
            lines.append(f"                '{verb['name']}:{text}'")
        lines += ["            )", "            _describe verb verbs", "            ;;", "        rest)", "            case $words[1] in"]
        for verb in command["verbs"]:
            lines.append(f"                {verb['name']}) {function_name(program, path + (verb['name'],))} ;;")
        lines += ["            esac", "            ;;", "    esac"]
    else:
        lines.append("    _arguments \\")
        lines += [f"        {option} \\" for option in options]
        positional = command["positionals"][:1]
        what = f"'*:{escaped(positional[0]['names'][0])}:{action(positional[0], program)}'" if positional else ""
        lines.append(f"        {what}".rstrip() or "")
    return lines + ["}"]


def completion(program):
    lines = [f"#compdef {program['name']}", f"# zsh completion for {program['name']}, made from its own table of verbs and options."]
    for path, command in reversed(list(tree.commands(program))):
        lines += function(program, path, command)
    lines.append(f'{function_name(program, ())} "$@"')
    return "\n".join(lines) + "\n"
