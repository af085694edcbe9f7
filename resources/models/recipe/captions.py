"""Captions for scenes. Every caption names its motion and, where there is one, its direction."""
from vocabulary import (ADJECTIVES, BACKGROUNDS, CAMERAS, COLOURED, DIRECTIONS, FROM_TO, LAUNCHES, MOTION_PHRASES, NATURAL,
                        OBJECTS, PREFIXES, SUFFIXES, TINTED, VERBS, colour_in)


def with_article(phrase):
    an = phrase[0] in "aeiou" and not phrase.startswith(("uni", "ufo"))
    return ("an " if an else "a ") + phrase


def object_phrase(index, colour, rng, clash=False):
    name, _, _, _, others = OBJECTS[index]
    phrase = rng.choice(others) if others and rng.random() < 0.3 else name
    if colour:
        if clash or rng.random() < (0.97 if colour != COLOURED[name] else 0.6):
            phrase = colour + " " + phrase
    elif name in NATURAL and rng.random() < 0.3:
        phrase = NATURAL[name] + " " + phrase
    if rng.random() < 0.12:
        phrase = rng.choice(ADJECTIVES) + " " + phrase
    r = rng.random()
    return with_article(phrase) if r < 0.86 else "the " + phrase if r < 0.94 else phrase


def motion_phrase(motion, index, rng):
    name, _, kind, _, _ = OBJECTS[index]
    if motion in DIRECTIONS:
        verbs = VERBS[kind] * 3 + ["moving", "moving", "gliding", "going", "travelling"]
        verb = rng.choice(verbs) if rng.random() < 0.85 else rng.choice(["moving", "sliding", "flying"])
        return verb + " " + rng.choice(FROM_TO[motion] if rng.random() < 0.25 else DIRECTIONS[motion])
    phrases = MOTION_PHRASES[motion]
    if motion == "up" and name in ("rocket", "ufo"):
        phrases = phrases + LAUNCHES
    return rng.choice(phrases)


def caption(scene, rng):
    """scene: {"objects": [(object, colour)], "motions": [...], "background": name, "camera": name or ""}. With "clash" the
    object's colour is named and so is the background's, which is another one."""
    clash = scene.get("clash", False)
    phrases = [object_phrase(o, c, rng, clash) for o, c in scene["objects"]]
    moves = [motion_phrase(m, o, rng) for m, (o, _) in zip(scene["motions"], scene["objects"])]
    if len(phrases) == 2 and scene["motions"][0] != scene["motions"][1]:
        subject = f"{phrases[0]} {moves[0]} and {phrases[1]} {moves[1]}"
    else:
        subject = " and ".join(phrases) + (" is " if rng.random() < 0.04 else " ") + moves[0]
    if clash:
        place = rng.choice([p for p in TINTED[scene["background"]] if colour_in(p) != scene["objects"][0][1]])
    else:
        place = rng.choice(BACKGROUNDS[scene["background"]]) if rng.random() < 0.97 else ""
    r = rng.random()
    if r < 0.8 or not place:
        text = (subject + " " + place).strip()
    else:
        text = f"{place}, {subject}" if r < 0.9 else f"{subject}, {place}"
    if rng.random() < 0.12:
        text = rng.choice(PREFIXES) + " " + text
    if scene["camera"]:
        text += ", " + rng.choice(CAMERAS[scene["camera"]])
    if rng.random() < 0.12:
        text += "".join(", " + rng.choice(SUFFIXES) for _ in range(rng.choice([1, 1, 2, 3])))
    r = rng.random()
    if r < 0.2:
        text = text[0].upper() + text[1:]
    return text + "." if r < 0.1 or r > 0.92 else text
