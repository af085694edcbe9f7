"""There is a page for each program and verb, with each option; man reads them without a warning."""
import pathlib
import shutil
import unittest

import programs
from programs import CLI, run


class ManualPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = programs.made_files()
        cls.pages = pathlib.Path(cls.folder.name) / "man/man1"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_verb_has_a_page_with_its_options(self):
        for path in programs.verbs():
            text = (self.pages / f"reelgrid-cli-{path[0]}.1").read_text()
            for option in programs.options_in_help(programs.help_of(CLI, *path)):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", text, path)

    def test_the_programs_pages_name_version_and_verbs(self):
        text = (self.pages / "reelgrid-cli.1").read_text()
        version = run(CLI, "--version").stdout.split()[1].rstrip(",")
        self.assertIn(f'"ReelGrid {version}"', text)
        for path in programs.verbs():
            self.assertIn(f"\\fB{path[0]}\\fR", text)
        self.assertIn("\\fB\\-\\-present\\fR", (self.pages / "reelgrid.1").read_text())

    @unittest.skipUnless(shutil.which("groff") and shutil.which("preconv"), "no groff here")
    def test_groff_reads_them(self):
        for page in sorted(self.pages.iterdir()):
            done = run("groff", "-man", "-Kutf8", "-Tutf8", "-ww", str(page))
            self.assertEqual(done.stderr, "", page.name)


programs.main()
