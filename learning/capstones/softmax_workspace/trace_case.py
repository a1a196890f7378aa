"""Two float32 matrices of 2 rows, of 513 columns and of 700, one after the other in one workspace, in chunks of 256: all zeros."""

import torch


def trace_case(softmax, Workspace, softmax_reference):
    """Every value of a row gets the same share; both calls need as much scratch, and the second finds what the first one made."""
    held = Workspace()
    first, second = torch.zeros(2, 513), torch.zeros(2, 700)
    made = [softmax(x, workspace=held, chunk_size=256) for x in (first, second)]
    return {"first": first, "second": second, "first result": made[0], "second result": made[1]}
