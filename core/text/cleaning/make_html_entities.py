"""Writes html_entities.inc: HTML5's named character references as Python's html.entities.html5 has them, and the
upper-case spellings that ftfy reads too (&NTILDE; as Ñ). Run it beside itself: python3 make_html_entities.py"""

import html
import html.entities
import pathlib


def literal(text):
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


names = html.entities.html5
upper = {
    name.upper(): text.upper()
    for name, text in names.items()
    if name.endswith(";") and name == name.lower() and html.unescape("&" + name.upper()) == "&" + name.upper()
}
lines = ["// Made by make_html_entities.py. Sorted by name; values are UTF-8."]
for variable, table in (("kHtml5Entities", names), ("kUpperCaseEntities", upper)):
    lines.append(f"constexpr Entity {variable}[] = {{")
    lines += [f'    {{"{name}", {literal(table[name])}}},' for name in sorted(table)]
    lines.append("};")
pathlib.Path(__file__).with_name("html_entities.inc").write_text("\n".join(lines) + "\n")
