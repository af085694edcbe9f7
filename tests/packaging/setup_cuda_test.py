"""`setup cuda` and the script behind it, without a download: what is there is taken, what is missing is said."""
import os
import pathlib
import tempfile
import unittest

import programs
from programs import CLI, SOURCE, run

SCRIPT = str(SOURCE / "packaging/setup-libtorch")


class SetupCuda(unittest.TestCase):
    def test_without_our_kernels_nothing_is_fetched(self):
        if (pathlib.Path(CLI).parent / "libreelgrid-cuda.so").exists():
            self.skipTest("this build has CUDA kernels")
        done = run(CLI, "setup", "cuda", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("this build has no CUDA kernels (libreelgrid-cuda.so)", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_half_that_is_there_is_taken_as_it_is(self):
        with tempfile.TemporaryDirectory() as cache:
            root = pathlib.Path(cache) / "libtorch-2.11.0"
            root.mkdir()
            (root / "complete-cuda-1").touch()
            done = run(SCRIPT, "--cuda-half", environment={"REELGRID_CACHE": cache})
            self.assertEqual(done.stdout, f"{root}/site-packages\n")

    def pip(self, cache, body):
        """A Python whose pip does what `body` says, so that nothing is fetched."""
        python = pathlib.Path(cache) / "python"
        python.write_text("#!/bin/sh\ncase \"$*\" in\n*--version*) exit 0 ;;\n*--help*) exit 0 ;;\n*download*)\n" + body +
                          "\n;;\n*) exec python3 \"$@\" ;;\nesac\n")
        python.chmod(0o755)
        return {"REELGRID_CACHE": cache, "REELGRID_PYTHON": str(python), "REELGRID_CUDA": "0"}

    def test_wheels_that_came_are_kept_for_the_next_try(self):
        with tempfile.TemporaryDirectory() as cache:
            # The first wheel comes, the second doesn't.
            environment = self.pip(cache, 'while [ "$1" != --dest ]; do shift; done\n'
                                          'grep -q ^torch== "$4" || exit 1; mkdir -p "$2"; echo whole >"$2/torch.whl"')
            done = run(SCRIPT, environment=environment, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("nvidia-cuda-runtime==13.0.96 didn't come; what came before it is kept", done.stderr)
            self.assertEqual((pathlib.Path(cache) / "wheels-2.11.0/torch.whl").read_text(), "whole\n")
            self.assertEqual([name for name in os.listdir(cache) if name.startswith("unpacking")], [])

    def test_each_wheel_is_asked_for_with_its_hash(self):
        with tempfile.TemporaryDirectory() as cache:
            environment = self.pip(cache, f'echo "$*" >>{cache}/asked; while [ "$1" != --requirement ]; do shift; done\n'
                                          f'cat "$2" >>{cache}/asked')
            done = run(SCRIPT, "--cuda-half", environment=environment, check=False)
            self.assertIn("the wheels hold no", done.stderr)
            asked = (pathlib.Path(cache) / "asked").read_text()
            lists = [(SOURCE / "packaging" / name).read_text() for name in ("libtorch-wheels.txt", "libtorch-cuda-wheels.txt")]
            wheels = [line for text in lists for line in text.splitlines() if not line.startswith("#")]
            self.assertEqual(asked.count("--require-hashes"), len(wheels))
            for wheel in wheels:
                self.assertIn(wheel + "\n", asked)


programs.main()
