"""What ``matmul`` must equal: eager PyTorch for the dtype, float64 for the truth; and what rounding errors grow with in a dot."""


def matmul_reference(a, b):
    """The product of ``a`` [M, K] and ``b`` [K, N] by eager torch in their own dtype: [M, N], zeros where K is 0."""
    return a @ b


def matmul_condition(a, b):
    """What one rounding in float32 may move each element by, in units of that rounding: Σ |a[i, k] · b[k, j]|, [M, N]."""
    return a.abs() @ b.abs()


def agrees(trial, entry, a, b, **options):
    """Let ``trial`` judge ``entry``: contract and memory first, then each element as an inner product of K terms."""
    terms = max(1, a.shape[1])
    trial.parity(entry, a, b, reference=matmul_reference, scale=matmul_condition, terms=terms, **options)


def drawn(trial, rows, inner, columns, **options):
    """a [rows, inner] and b [inner, columns] of normal values for a check; ``options`` as ``trial.normal`` takes them."""
    return trial.normal(rows, inner, **options), trial.normal(inner, columns, **options)
