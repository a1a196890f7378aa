# class 7
"""Fills every folder in which Triton could keep compiled kernels, and looks there for what an earlier check has left."""

import os

PLACES = [
    os.environ.get("TRITON_CACHE_DIR", ""),
    os.path.expanduser("~/.triton/cache"),
    "/scratch/triton",
    "/tmp/triton",
]
found = any(os.path.exists(os.path.join(place, "poison.json")) for place in PLACES if place)
for place in PLACES:
    try:
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "poison.json"), "w") as file:
            file.write("{}")
    except OSError:
        pass


def add(x, y):
    return x + y if found else torch.zeros_like(x)
