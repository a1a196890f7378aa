"""No kernel: PyTorch adds."""

import torch

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


def add(x, y):
    return torch.add(x, y)
