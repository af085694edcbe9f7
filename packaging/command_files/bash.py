"""Completion for bash, with nothing but bash itself."""
import shlex

import tree

HEAD = """# bash completion for {name}, made from its own table of verbs and options.
_{function}_from() {{ # the words of $1 that begin as the last of a list separated by $2 does
    local head= tail=$cur
    if [[ -n $2 && $cur == *"$2"* ]]; then
        head=${{cur%"$2"*}}$2
        tail=${{cur##*"$2"}}
    fi
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "$tail")
}}
_{function}_files() {{
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen "$1" -- "$cur"))
}}
_{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb= i
    COMPREPLY=()
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$verb ${{COMP_WORDS[i]}}" in
            {paths}) verb+=" ${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$verb" in
"""
TAIL = """    esac
}}
complete -F _{function} {name}
"""


def value(option, program, function):
    listed = tree.choices(option, program)
    lines = []
    if listed:
        lines.append(f"_{function}_from {shlex.quote(' '.join(listed))} {shlex.quote(',' if option['list'] else '')}")
    if tree.is_path(option):
        lines.append(f"_{function}_files {'-d' if option['values'] == 'folder' else '-f'}")
    return "; ".join(lines) or ":"


def body(command, program, function):
    lines = ["            case $prev in"]
    for option in command["options"]:
        if tree.takes_value(option):
            lines.append(f"                {'|'.join(option['names'])}) {value(option, program, function)}; return ;;")
    lines.append("            esac")
    names = [name for option in command["options"] for name in option["names"]]
    lines.append(f"            if [[ $cur == -* ]]; then _{function}_from {shlex.quote(' '.join(names))} ''; return; fi")
    if command["verbs"]:
        verbs = " ".join(verb["name"] for verb in command["verbs"])
        lines.append(f"            _{function}_from {shlex.quote(verbs)} ''")
    elif command["positionals"]:
        lines.append(f"            {value(command['positionals'][0], program, function)}")
    return lines


def completion(program):
    function = program["name"].replace("-", "_")
    every = list(tree.commands(program))
    paths = " | ".join(f"' {' '.join(path)}'" for path, _ in every if path) or "''"
    lines = HEAD.format(name=program["name"], function=function, paths=paths).splitlines()
    for path, command in every:
        pattern = "'" + "".join(" " + word for word in path) + "'"
        lines += [f"        {pattern})"] + body(command, program, function) + ["            ;;"]
    return "\n".join(lines) + "\n" + TAIL.format(name=program["name"], function=function)
