"""The studio's words, read from its --help: lines of "  --option [VALUE]   what it does"."""
import re

OPTION = re.compile(r"^  (--[a-z-]+)(?: ([A-Z]+))?   *(\S.*)$")
CONTINUED = re.compile(r"^ {17,}(\S.*)$")


def words_of(help_text, cli):
    options = []
    for line in help_text.splitlines():
        option, continued = OPTION.match(line), CONTINUED.match(line)
        if option:
            name, value, text = option.groups()
            options.append({"names": [name], "help": text, "values": "file" if value else None, "type": value or "",
                            "default": "", "list": False, "required": False})
        elif continued and options:
            options[-1]["help"] += " " + continued.group(1)
        elif options:
            break
    paragraphs = help_text.split("\n\n")
    return {
        "name": "reelgrid", "help": " ".join(paragraphs[1].split()), "footer": " ".join(paragraphs[-1].split()),
        "options": options, "verbs": [], "version": cli["version"], "backends": cli["backends"], "models": cli["models"],
        "positionals": [{"names": ["session or clips"], "help": "A session, .json, or video files", "values": "file",
                         "type": "FILE", "default": "", "list": True, "required": False}],
    }
