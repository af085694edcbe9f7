"""Desktop entry, metainfo and MIME type are what the desktop's own tools take, and a session is known by what is inside."""
import pathlib
import shutil
import tempfile
import unittest

import programs
from programs import CLI, SOURCE, STUDIO, run

DESKTOP = SOURCE / "packaging/desktop"


class DesktopFiles(unittest.TestCase):
    @unittest.skipUnless(shutil.which("desktop-file-validate"), "no desktop-file-validate here")
    def test_the_entry_is_valid(self):
        self.assertEqual(run("desktop-file-validate", str(DESKTOP / "reelgrid.desktop")).stdout, "")

    @unittest.skipUnless(shutil.which("appstreamcli"), "no appstreamcli here")
    def test_the_metainfo_is_valid(self):
        done = run("appstreamcli", "validate", "--no-net", str(DESKTOP / "reelgrid.metainfo.xml"), check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def installed(self, home):
        """Of this build, into a home of its own."""
        done = run(str(SOURCE / "packaging/install-desktop-entry"), STUDIO, environment={"XDG_DATA_HOME": home})
        self.assertIn("reelgrid.desktop", done.stderr)
        return pathlib.Path(home)

    def test_what_is_installed_for_one_person_goes_again(self):
        with tempfile.TemporaryDirectory() as home:
            share = self.installed(home)
            entry = (share / "applications/reelgrid.desktop").read_text()
            self.assertIn(f'Exec="{STUDIO}" %F', entry)
            self.assertTrue((share / "bash-completion/completions/reelgrid-cli").exists())
            run(str(SOURCE / "packaging/install-desktop-entry"), "--remove", environment={"XDG_DATA_HOME": home})
            left = [file for file in share.rglob("*reelgrid*") if not file.is_dir()]
            self.assertEqual(left, [])

    @unittest.skipUnless(shutil.which("update-mime-database") and shutil.which("gio"), "no shared-mime-info and gio here")
    def test_a_session_is_known_by_its_name_or_by_what_is_inside(self):
        with tempfile.TemporaryDirectory() as home:
            self.installed(home)
            for name in ("session.json", "two backends.reelgrid.json", "without an ending"):
                file = pathlib.Path(home) / name
                shutil.copy(SOURCE / "resources/demo/session.json", file)
                done = run("gio", "info", "-a", "standard::content-type,standard::icon", str(file),
                           environment={"XDG_DATA_HOME": home})
                self.assertIn("content-type: application/x-reelgrid-session", done.stdout, name)
                self.assertIn("icon: application-x-reelgrid-session", done.stdout, name)


programs.main()
