"""Each option that a --help lists is completed, in each shell that is here; so are backends and models."""
import pathlib
import shutil
import unittest

import programs
from programs import CLI, STUDIO, run

BASH = """
source "$1"; shift
compopt() { :; }
while IFS= read -r line; do
    eval "COMP_WORDS=($line)"
    [[ $line == *" ''" ]] || true
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "$COMPLETER"
    printf '%s\\n' "${COMPREPLY[*]}"
done
"""


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = programs.made_files()
        cls.share = pathlib.Path(cls.folder.name)
        cls.cases = [("reelgrid-cli", path, programs.options_in_help(programs.help_of(CLI, *path)))
                     for path in [(), *programs.verbs()]]
        cls.cases.append(("reelgrid", (), programs.options_in_help(programs.help_of(STUDIO))))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def bash(self, program, *lines):
        file = self.share / "bash-completion/completions" / program
        done = run("bash", "-c", BASH, "bash", str(file), environment={"COMPLETER": "_" + program.replace("-", "_")},
                   input="\n".join(lines) + "\n")
        self.assertEqual(done.stderr, "")
        return [line.split() for line in done.stdout.splitlines()]

    def fish(self, line):
        program = line.split()[0]
        file = self.share / f"fish/vendor_completions.d/{program}.fish"
        done = run("fish", "--no-config", "-c", f"source {file}; complete -C {line!r}")
        self.assertEqual(done.stderr, "")
        return {each.split("\t")[0] for each in done.stdout.splitlines()}

    def test_help_lists_options_at_all(self):
        self.assertIn("--num-inference-steps", self.cases[1][2] | self.cases[2][2])
        self.assertGreater(len(self.cases), 15)

    def test_bash_completes_each_option(self):
        for program in ("reelgrid-cli", "reelgrid"):
            cases = [case for case in self.cases if case[0] == program]
            answers = self.bash(program, *(" ".join([program, *path, "-"]) for _, path, _ in cases))
            for (_, path, options), found in zip(cases, answers, strict=True):
                self.assertEqual(options - set(found), set(), (program, path))

    def test_bash_completes_verbs_and_values(self):
        verbs, parts, models, types, devices, after_equals = self.bash(
            "reelgrid-cli", "reelgrid-cli ''", "reelgrid-cli bench ''", "reelgrid-cli render --model ''",
            "reelgrid-cli compare --types sdpa,fav", "reelgrid-cli render --seed 3 --device c",
            "reelgrid-cli render --vae-tiling = o")
        self.assertLessEqual({"render", "compare", "stitch", "doctor", "setup"}, set(verbs))
        self.assertNotIn("words", verbs)
        self.assertEqual(set(parts), {"attention", "conv", "sampler", "vae", "pipeline"})
        self.assertLessEqual({"demo", "demo-i2v"}, set(models))
        self.assertLessEqual({"sdpa,fav2", "sdpa,fav3"}, set(types))
        self.assertNotIn("sdpa,sdpa", types)
        self.assertEqual(set(devices), {"cpu", "cuda"})
        self.assertEqual(set(after_equals), {"on", "off"})

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_each_option(self):
        for program, path, options in self.cases:
            found = self.fish(" ".join([program, *path, "--"])) | self.fish(" ".join([program, *path, "-"]))
            self.assertEqual({option for option in options if option.startswith("--")} - found, set(), (program, path))

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_verbs_and_values(self):
        self.assertLessEqual({"render", "compare", "stitch"}, self.fish("reelgrid-cli "))
        self.assertLessEqual({"sdpa", "fav2"}, self.fish("reelgrid-cli render --attention-type "))
        self.assertLessEqual({"demo", "demo-i2v"}, self.fish("reelgrid-cli models show "))
        self.assertIn("sdpa,fav2", self.fish("reelgrid-cli compare --types sdpa,f"))

    def test_zsh_has_each_option(self):
        for program, path, options in self.cases:
            text = (self.share / f"zsh/vendor-completions/_{program}").read_text()
            name = "_" + "_".join([program.replace("-", "_"), *path]) + "() {"
            body = text[text.index("\n" + name):].split("\n}\n")[0]
            for option in options:
                self.assertRegex(body, rf"[' {{,(]{option}[\[,)}}]", (program, path))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_reads_them(self):
        for program in ("reelgrid-cli", "reelgrid"):
            file = self.share / f"zsh/vendor-completions/_{program}"
            self.assertEqual(run("zsh", "-n", str(file)).stderr, "")


programs.main()
