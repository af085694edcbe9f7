"""Writes resources/prompts/demo.json: the words that the demo model knows, and prompts that look good.
python3 prompt_guide.py ../../prompts/demo.json"""
import json
import sys

from vocabulary import BACKGROUNDS, HUES, LAUNCHES, MOTION_PHRASES, OBJECTS, VERBS

SUGGESTIONS = ["a red heart growing bigger in a blue sky", "a penguin walking to the right on a beach",
               "a watermelon falling on a beach", "a rocket launching in space", "a ghost moving in a circle in the night sky",
               "a red car driving to the right on a beach", "a green ball bouncing in a park",
               "a unicorn running to the right in a meadow"]


def unique(words):
    return list(dict.fromkeys(words))


def motions():
    phrases = [p for ps in MOTION_PHRASES.values() for p in ps] + LAUNCHES
    verbs = unique(v for vs in VERBS.values() for v in vs) + ["moving"]
    return unique(phrases + [f"{v} {d}" for v in verbs for d in ("to the right", "to the left")] +
                  ["towards the right", "towards the left"])  # the model takes "from right to left" for "to the right"


if __name__ == "__main__":
    guide = {"words": {"objects": unique(n for o in OBJECTS for n in [o[0], *o[4]]),
                       "backgrounds": unique(p for ps in BACKGROUNDS.values() for p in ps),
                       "motions": motions(), "colours": list(HUES)}, "suggestions": SUGGESTIONS}
    with open(sys.argv[1], "w") as f:
        json.dump(guide, f, indent=1)
        f.write("\n")
