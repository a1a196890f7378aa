"""No kernel: PyTorch copies."""

import torch

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


def materialise(x):
    return x.clone(memory_format=torch.contiguous_format)
