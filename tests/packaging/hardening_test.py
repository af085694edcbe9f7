#!/usr/bin/env python3
"""hardening_test.py PROGRAM...: whether the programs are built as cmake/Hardening.cmake has it, by what readelf sees."""

import pathlib
import platform
import re
import subprocess
import sys
import unittest

PROGRAMS = sys.argv[1:]
ENDBR64 = b"\xf3\x0f\x1e\xfa"  # where an indirect jump may land under CET


def readelf(option, program):
    return subprocess.run(["readelf", "-W", option, program], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


class Hardening(unittest.TestCase):
    def each(self, holds, needed):
        for program in PROGRAMS:
            self.assertTrue(holds(program), f"{program}: {needed} was needed")

    def test_programs_are_at_random_addresses(self):
        self.each(lambda program: re.search(r"FLAGS_1.*\bPIE\b", readelf("-d", program)), "PIE")

    def test_tables_are_read_only(self):
        self.each(lambda program: "GNU_RELRO" in readelf("-l", program), "RELRO")
        self.each(lambda program: re.search(r"FLAGS_1.*\bNOW\b", readelf("-d", program)), "NOW")

    def test_nothing_runs_from_the_stack(self):
        self.each(lambda program: re.search(r"GNU_STACK\s+(0x\S+\s+){5}RW\s", readelf("-l", program)), "a stack without X")

    def test_stacks_and_copies_are_checked(self):
        self.each(lambda program: "__stack_chk_fail" in readelf("--dyn-syms", program), "a stack protector")
        self.each(lambda program: len(set(re.findall(r"UND __(\w+)_chk\b", readelf("--dyn-syms", program)))) >= 2,
                  "_FORTIFY_SOURCE")

    @unittest.skipUnless(platform.machine() == "x86_64", "CET is x86-64's")
    def test_indirect_jumps_are_guarded(self):
        self.each(lambda program: pathlib.Path(program).read_bytes().count(ENDBR64) > 1000, "CET")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
