"""The words of the toy world: objects, colours, backgrounds, motions and the phrases that captions use."""

# name, emoji code point (-1: a drawn ball), kind, way the picture faces (-1 left, 1 right, 0 neither), other names
OBJECTS = [
    ("cat", 0x1F408, "land", -1, ["kitty", "kitten"]), ("dog", 0x1F415, "land", -1, ["puppy"]),
    ("rabbit", 0x1F407, "land", -1, ["bunny"]), ("horse", 0x1F40E, "land", -1, ["pony"]),
    ("cow", 0x1F404, "land", -1, []), ("pig", 0x1F416, "land", -1, []), ("sheep", 0x1F411, "land", -1, ["lamb"]),
    ("elephant", 0x1F418, "land", -1, []), ("tiger", 0x1F405, "land", -1, []), ("lion", 0x1F981, "land", 0, []),
    ("panda", 0x1F43C, "land", 0, []), ("bear", 0x1F43B, "land", 0, []), ("monkey", 0x1F412, "land", -1, []),
    ("frog", 0x1F438, "land", 0, []), ("turtle", 0x1F422, "land", -1, ["tortoise"]),
    ("dinosaur", 0x1F996, "land", -1, ["t-rex"]), ("dragon", 0x1F409, "fly", -1, []), ("fox", 0x1F98A, "land", 0, []),
    ("unicorn", 0x1F984, "land", -1, []), ("penguin", 0x1F427, "land", 0, []), ("giraffe", 0x1F992, "land", -1, []),
    ("fish", 0x1F41F, "swim", -1, []), ("shark", 0x1F988, "swim", -1, []), ("whale", 0x1F433, "swim", -1, []),
    ("dolphin", 0x1F42C, "swim", -1, []), ("octopus", 0x1F419, "swim", 0, []), ("crab", 0x1F980, "land", 0, []),
    ("butterfly", 0x1F98B, "fly", 0, []), ("bee", 0x1F41D, "fly", -1, []), ("ladybug", 0x1F41E, "fly", 0, []),
    ("bird", 0x1F426, "fly", -1, []), ("duck", 0x1F986, "swim", -1, []), ("owl", 0x1F989, "fly", 0, []),
    ("chick", 0x1F425, "land", 0, ["chicken"]), ("car", 0x1F697, "drive", -1, ["automobile"]),
    ("taxi", 0x1F695, "drive", -1, ["cab"]), ("bus", 0x1F68C, "drive", -1, []),
    ("truck", 0x1F69A, "drive", -1, ["lorry"]), ("fire truck", 0x1F692, "drive", -1, ["fire engine"]),
    ("train", 0x1F682, "drive", -1, ["steam train", "locomotive"]), ("tractor", 0x1F69C, "drive", -1, []),
    ("rocket", 0x1F680, "fly", 0, ["spaceship", "space rocket"]), ("airplane", 0x1F6E9, "fly", 0, ["plane", "aeroplane"]),
    ("helicopter", 0x1F681, "fly", -1, []), ("sailboat", 0x26F5, "sail", 0, ["boat"]),
    ("ship", 0x1F6A2, "sail", -1, ["cruise ship"]), ("ufo", 0x1F6F8, "fly", 0, ["flying saucer"]),
    ("balloon", 0x1F388, "fly", 0, []), ("soccer ball", 0x26BD, "roll", 0, ["football"]),
    ("basketball", 0x1F3C0, "roll", 0, []), ("ball", -1, "roll", 0, []), ("star", 0x2B50, "thing", 0, []),
    ("heart", 0x2764, "thing", 0, []), ("moon", 0x1F319, "thing", 0, ["crescent moon"]), ("sun", 0x1F31E, "thing", 0, []),
    ("tree", 0x1F333, "thing", 0, []), ("palm tree", 0x1F334, "thing", 0, ["palm"]), ("cactus", 0x1F335, "thing", 0, []),
    ("sunflower", 0x1F33B, "thing", 0, []), ("flower", 0x1F337, "thing", 0, ["tulip"]), ("rose", 0x1F339, "thing", 0, []),
    ("mushroom", 0x1F344, "thing", 0, []), ("snowman", 0x26C4, "thing", 0, []), ("earth", 0x1F30D, "roll", 0, ["globe"]),
    ("planet", 0x1FA90, "fly", 0, ["saturn"]), ("fire", 0x1F525, "thing", 0, ["flame"]), ("apple", 0x1F34E, "roll", 0, []),
    ("banana", 0x1F34C, "thing", 0, []), ("orange", 0x1F34A, "roll", 0, []), ("strawberry", 0x1F353, "thing", 0, []),
    ("watermelon", 0x1F349, "thing", 0, []), ("pineapple", 0x1F34D, "thing", 0, []),
    ("pizza", 0x1F355, "thing", 0, ["slice of pizza"]), ("hamburger", 0x1F354, "thing", 0, ["burger"]),
    ("cake", 0x1F382, "thing", 0, ["birthday cake"]), ("ice cream", 0x1F366, "thing", 0, ["ice cream cone"]),
    ("donut", 0x1F369, "roll", 0, ["doughnut"]), ("carrot", 0x1F955, "thing", 0, []), ("robot", 0x1F916, "land", 0, []),
    ("ghost", 0x1F47B, "fly", 0, []), ("alien", 0x1F47D, "fly", 0, []), ("umbrella", 0x2602, "thing", 0, []),
    ("gift", 0x1F381, "thing", 0, ["present", "gift box"]), ("book", 0x1F4D5, "thing", 0, []),
    ("guitar", 0x1F3B8, "thing", 0, []), ("house", 0x1F3E0, "thing", 0, ["home"]), ("castle", 0x1F3F0, "thing", 0, []),
    ("light bulb", 0x1F4A1, "thing", 0, ["lamp"]), ("crown", 0x1F451, "thing", 0, []),
    ("diamond", 0x1F48E, "thing", 0, ["gem"]), ("teddy bear", 0x1F9F8, "thing", 0, ["teddy"]), ("kite", 0x1FA81, "fly", 0, []),
    ("pumpkin", 0x1F383, "roll", 0, ["jack-o-lantern"]), ("smiley face", 0x1F600, "roll", 0, ["smiley", "happy face"]),
]
NAMES = [o[0] for o in OBJECTS]
ANIMALS = set(NAMES[: NAMES.index("chick") + 1])

# Pictures with much fine detail, or easily taken for another.
DETAILED = {"rabbit", "horse", "cow", "sheep", "elephant", "tiger", "monkey", "dragon", "giraffe", "owl", "taxi", "bus", "truck",
            "fire truck", "train", "tractor", "airplane", "helicopter", "ship", "ufo", "tree", "rose", "pizza", "hamburger",
            "cake", "robot", "gift", "guitar", "house", "castle", "crown", "teddy bear", "kite"}

HUES = {"red": 0.0, "orange": 0.075, "yellow": 0.145, "green": 0.34, "blue": 0.60, "purple": 0.76, "pink": 0.91}
# Objects drawn in several colours, with the colour of the picture they come from.
COLOURED = {"car": "red", "balloon": "red", "heart": "red", "ball": "red", "butterfly": "orange", "fish": "blue",
            "star": "yellow", "flower": "pink", "umbrella": "purple", "book": "red", "bird": "blue", "apple": "red"}
ONLY_COLOURS = {"apple": ["red", "green", "yellow"]}
# Colours that captions may mention although there is only one.
NATURAL = {"banana": "yellow", "orange": "orange", "strawberry": "red", "rose": "red", "frog": "green", "turtle": "green",
           "carrot": "orange", "taxi": "yellow", "fire truck": "red", "tree": "green", "cactus": "green",
           "pumpkin": "orange", "sun": "yellow", "moon": "yellow", "pig": "pink", "elephant": "gray", "shark": "gray",
           "octopus": "red", "crab": "red", "fox": "orange", "ladybug": "red", "chick": "yellow", "diamond": "blue",
           "ghost": "white", "dinosaur": "green", "bear": "brown", "horse": "brown", "monkey": "brown",
           "tiger": "orange", "dolphin": "blue", "whale": "blue", "tractor": "red", "duck": "green"}

BACKGROUNDS = {
    "sky": ["in a blue sky with clouds", "in the sky", "against a cloudy blue sky", "in the clouds", "in a blue sky",
            "over a cloudy sky", "among white clouds"],
    "beach": ["on a beach", "on a sunny beach", "over a sandy beach", "at the beach", "over a sunny beach",
              "by the sea on a beach", "on a tropical beach"],
    "forest": ["in a forest", "in a green forest", "in the woods", "among the trees", "through a forest", "in the jungle",
               "in the forest"],
    "desert": ["in a desert", "over sand dunes", "in the desert", "across the desert", "in a sandy desert", "over the desert"],
    "night": ["in the night sky", "under the stars at night", "under a starry sky", "in a night sky with stars",
              "in the starry night", "at night", "in the night sky with stars"],
    "ocean": ["over the ocean", "on the ocean", "on the sea", "above the blue waves", "on the water", "in the ocean",
              "over the sea"],
    "snow": ["in the snow", "on a snowy field", "in a snowy landscape", "on the snow", "in winter",
             "in a snowy winter landscape"],
    "sunset": ["at sunset", "in front of a sunset", "under an orange sunset sky", "at dusk", "during sunset", "in a sunset",
               "at a beautiful sunset"],
    "city": ["in a city at night", "in front of city lights", "over a city", "in the city", "past tall buildings",
             "over the city lights at night", "in a city"],
    "grass": ["on a grass field", "on green grass", "in a meadow", "in a green field", "on the grass", "in a park",
              "in a garden", "over a grass field"],
    "underwater": ["under water", "underwater", "deep in the sea", "in an underwater world", "at the bottom of the sea",
                   "under the sea"],
    "space": ["in space", "in outer space", "in a purple galaxy", "through space", "in the universe", "in deep space"],
}
BACKGROUND_NAMES = list(BACKGROUNDS)


def colour_in(phrase):
    """The hue that a background's phrase names, or None."""
    return next((word for word in phrase.split() if word in HUES), None)


# Backgrounds with phrases that name a hue, which a caption's object may not have.
TINTED = {name: [phrase for phrase in phrases if colour_in(phrase)] for name, phrases in BACKGROUNDS.items()
          if any(colour_in(phrase) for phrase in phrases)}

MOTIONS = ["right", "left", "up", "down", "bounce", "spin", "grow", "shrink", "circle", "still", "sway"]
MOTION_WEIGHTS = [1.2, 1.2, 1.1, 1.1, 1.2, 1.7, 1.0, 1.0, 1.0, 0.8, 0.9]
HARD_MOTION_WEIGHTS = [1.3, 1.3, 1.0, 1.0, 1.0, 2.0, 0.9, 0.9, 1.0, 1.2, 1.0]
VERBS = {"land": ["running", "walking"], "fly": ["flying", "gliding"], "swim": ["swimming"], "drive": ["driving"],
         "sail": ["sailing"], "roll": ["rolling"], "thing": ["floating", "sliding"]}
DIRECTIONS = {"right": ["to the right", "to the right", "from left to right", "right", "towards the right", "rightwards"],
              "left": ["to the left", "to the left", "from right to left", "left", "towards the left", "leftwards"]}
FROM_TO = {"right": ["from left to right", "from the left to the right"],
           "left": ["from right to left", "from the right to the left"]}
MOTION_PHRASES = {
    "up": ["rising", "moving up", "flying up", "going up", "floating up", "rising up", "moving upwards",
           "rising into the air", "flying upwards"],
    "down": ["falling", "falling down", "moving down", "going down", "dropping", "sinking", "moving downwards",
             "falling from above", "flying down"],
    "bounce": ["bouncing", "bouncing", "jumping", "bouncing up and down", "jumping up and down", "hopping"],
    "spin": ["spinning", "spinning", "rotating", "spinning around", "turning around", "twirling", "rotating quickly",
             "spinning in place"],
    "grow": ["growing", "getting bigger", "coming closer", "growing larger", "becoming bigger", "approaching",
             "growing bigger"],
    "shrink": ["shrinking", "getting smaller", "going away", "becoming smaller", "disappearing in the distance",
               "moving away"],
    "circle": ["moving in a circle", "circling", "moving in circles", "going around in circles", "circling around",
               "flying in circles"],
    "sway": ["swinging", "swaying", "rocking", "swinging from side to side", "dancing", "wobbling", "swaying left and right"],
    "still": ["standing still", "staying still", "sitting still", "not moving", "resting", "standing", "waiting"],
}
LAUNCHES = ["launching", "taking off", "launching into the sky", "blasting off"]

CAMERAS = {"pan left": ["camera panning left", "the camera pans left", "camera moves left"],
           "pan right": ["camera panning right", "the camera pans right", "camera moves right"],
           "zoom in": ["camera zooming in", "the camera slowly zooms in", "slow zoom in"],
           "zoom out": ["camera zooming out", "the camera slowly zooms out", "slow zoom out"]}

ADJECTIVES = ["cute", "little", "small", "big", "happy", "beautiful", "shiny", "funny", "large", "nice", "lovely", "friendly",
              "cartoon", "tiny", "giant"]
SUFFIXES = ["high quality", "cinematic", "4k", "bright colors", "detailed", "smooth motion", "colorful", "animation",
            "realistic", "vivid colors", "soft light", "emoji style", "cartoon style", "slow motion", "best quality",
            "masterpiece"]
PREFIXES = ["a video of", "an animation of", "a clip of", "a short video of", "a cartoon of", "a scene with", "a movie of",
            "footage of", "an animated clip of", "video of"]

# Pairs that no training clip shows together: the evaluation asks for them.
HELD_OUT = {("dog", "space"), ("robot", "desert"), ("pizza", "ocean"), ("elephant", "sky"), ("butterfly", "city"),
            ("penguin", "beach"), ("train", "underwater"), ("fox", "snow")}
