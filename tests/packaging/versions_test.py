"""--version names version, commit and libraries."""
import unittest

import programs
from programs import CLI, SOURCE, STUDIO, run


class Versions(unittest.TestCase):
    def test_the_command_line_names_its_libraries(self):
        lines = run(CLI, "--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^ReelGrid \d+\.\d+\.\d+")
        self.assertRegex("\n".join(lines[1:]), r"^  libtorch  2\.\d+\.\d+\n  FFmpeg    \S+\n  CUDA      \S+")

    def test_the_studio_names_its_libraries(self):
        lines = run(STUDIO, "--version", environment={"DISPLAY": "", "WAYLAND_DISPLAY": ""}).stdout.splitlines()
        self.assertRegex(lines[0], r"^reelgrid \d+\.\d+\.\d+")
        self.assertRegex("\n".join(lines[1:]), r"^  Qt      6\.\d+\.\d+\n  FFmpeg  \S+$")

    def test_both_are_of_one_commit_of_this_tree(self):
        inside = run("git", "-C", str(SOURCE), "rev-parse", "--short=12", "HEAD", check=False)
        if inside.returncode != 0:
            self.skipTest("these sources came without git")
        first = [run(program, "--version").stdout.splitlines()[0] for program in (CLI, STUDIO)]
        commits = [line.partition(", commit ")[2] for line in first]
        self.assertEqual(commits[0], commits[1])
        self.assertRegex(commits[0], r"^[0-9a-f]{12}(-dirty)?$")


programs.main()
