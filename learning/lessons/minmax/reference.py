"""What ``minmax`` must equal: eager PyTorch computing in float32, and the same formula in float64."""


def minmax_reference(x, eps):
    """(x − min) / (max − min + eps) for each row of ``x`` [M, N], in float32, rounded once to the dtype of ``x``."""
    wide = x.float()
    smallest, largest = wide.amin(dim=1, keepdim=True), wide.amax(dim=1, keepdim=True)
    return ((wide - smallest) / (largest - smallest + eps)).to(x.dtype)


def minmax_oracle(x, eps):
    """The definition in float64: the two subtractions and the division, none of them rounded to anything less."""
    wide = x.double()
    smallest, largest = wide.amin(dim=1, keepdim=True), wide.amax(dim=1, keepdim=True)
    return (wide - smallest) / (largest - smallest + eps)


def agrees(trial, entry, x, eps):
    """Let ``trial`` judge ``entry(x, eps)``: contract and memory first, then every number."""
    trial.parity(entry, x, eps, reference=minmax_reference, oracle=minmax_oracle)
