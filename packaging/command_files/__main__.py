"""python3 packaging/command_files CLI STUDIO FOLDER: writes manual pages and completions for both programs below FOLDER,
as bash, zsh, fish and man look for them in a `share` folder.

Everything comes from the programs' own tables: `reelgrid-cli words` and the options in `reelgrid --help`.
"""
import json
import os
import pathlib
import subprocess
import sys

import bash
import fish
import man
import studio
import zsh


def output_of(*command):
    # As a machine that has no plug-ins of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REELGRID_BACKEND")}
    environment["XDG_DATA_HOME"] = "/nonexistent"
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def main():
    cli, window, folder = sys.argv[1:]
    words = json.loads(output_of(cli, "words"))
    words["name"] = "reelgrid-cli"
    programs = [words, studio.words_of(output_of(window, "--help"), words)]
    share = pathlib.Path(folder)
    for program in programs:
        name = program["name"]
        files = {
            f"bash-completion/completions/{name}": bash.completion(program),
            f"zsh/vendor-completions/_{name}": zsh.completion(program),
            f"fish/vendor_completions.d/{name}.fish": fish.completion(program),
        }
        files.update({f"man/man1/{page}.1": text for page, text in man.pages(program).items()})
        for path, text in files.items():
            (share / path).parent.mkdir(parents=True, exist_ok=True)
            (share / path).write_text(text)


main()
