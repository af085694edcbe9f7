"""The two programs that the tests are about, and what packaging/command_files makes of them."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CLI, STUDIO = (str(pathlib.Path(program).resolve()) for program in sys.argv[1:3])


def run(*command, environment=None, check=True, **more):
    return subprocess.run(command, capture_output=True, text=True, check=check,
                          env={**os.environ, **(environment or {})}, **more)


def options_in_help(text):
    """The long and short options that a --help lists at the beginning of its lines."""
    options = set()
    for line in text.splitlines():
        match = re.match(r"^  (-{1,2}[a-z][a-z0-9-]*(?:,-{1,2}[a-z][a-z0-9-]*)*)(?:\s|$)", line)
        if match:
            options.update(match.group(1).split(","))
    return options


@functools.cache
def help_of(program, *path):
    return run(program, *path, "--help").stdout


@functools.cache
def words():
    return json.loads(run(CLI, "words").stdout)


@functools.cache
def verbs():
    """Every verb that can be run, as a tuple of words."""
    def walk(command, path):
        if not command["verbs"]:
            yield path
        for verb in command["verbs"]:
            yield from walk(verb, path + (verb["name"],))
    return list(walk(words(), ()))


def made_files():
    """A temporary `share` folder; goes with the object that is returned."""
    folder = tempfile.TemporaryDirectory()
    run(sys.executable, str(SOURCE / "packaging/command_files"), CLI, STUDIO, folder.name)
    return folder


def main():
    unittest.main(argv=sys.argv[:1])
