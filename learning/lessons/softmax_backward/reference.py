"""What a softmax hands back: the formula in fp32 and float64, autograd and central differences as witnesses."""

import torch


def backward_reference(y, g):
    """y · (g − Σ y·g) by row for ``y`` and ``g`` [rows, columns] of one dtype, any strides: eager torch in fp32 (float64 for
    float64), rounded once; contiguous."""
    wide_y, wide_g = (value if value.dtype == torch.float64 else value.float() for value in (y, g))
    d = (wide_y * wide_g).sum(dim=1, keepdim=True)
    return (wide_y * (wide_g - d)).to(y.dtype).contiguous()


def backward_oracle(y, g):
    """The same from ``y`` and ``g`` in float64, where every product of 16-bit or fp32 numbers is exact."""
    wide_y, wide_g = y.double(), g.double()
    return wide_y * (wide_g - (wide_y * wide_g).sum(dim=1, keepdim=True))


def condition(y, g):
    """What rounding errors grow with where g and d cancel: |y| · (|g| + Σ |y·g|)."""
    return y.abs() * (g.abs() + (y * g).abs().sum(dim=1, keepdim=True))


def by_autograd(x):
    """An oracle that leaves ``y`` aside: PyTorch's autograd differentiates softmax(``x``) in float64."""

    def oracle(y, g):
        wide = x.double().requires_grad_()
        with torch.enable_grad():
            torch.softmax(wide, dim=1).backward(g.double())
        return wide.grad

    return oracle


def by_central_differences(x, h=6e-6):
    """An oracle without any derivative: (L(x + h) − L(x − h)) / 2h in float64, one element of ``x`` at a time, L = Σ g·softmax(x).

    ``h`` is near the cube root of float64's eps, where the error of the formula and that of the subtraction are alike.
    """

    def oracle(y, g):
        wide, columns = x.double(), x.shape[1]
        steps = h * torch.eye(columns, dtype=torch.float64, device=x.device)
        up, down = (torch.softmax(wide[:, None, :] + sign * steps, dim=2) for sign in (1.0, -1.0))
        return ((up - down) * g.double()[:, None, :]).sum(dim=2) / (2 * h)

    return oracle


def leftover(dx, y, g):
    """For each row: Σ dx less the d · (1 − Σ y) that it must be, and how much of that rounding may leave: three times what is
    allowed for the elements, added up."""
    truth, w = backward_oracle(y, g), torch.finfo(torch.float32).eps
    info = torch.finfo(y.dtype)
    left = dx.double().sum(dim=1) - truth.sum(dim=1)
    steps = 0.5 * info.eps * truth.abs() + 8 * w * condition(y.double(), g.double()) + info.smallest_normal * info.eps
    return left, 3 * steps.sum(dim=1)


def drawn(trial, rows, columns, dtype=torch.float32):
    """``y``, the softmax of drawn values rounded to ``dtype``, and drawn gradients ``g``, both [rows, columns]."""
    y = torch.softmax(trial.normal(rows, columns).double(), dim=1).to(dtype)
    return y, trial.normal(rows, columns, dtype=dtype)


def agrees(trial, backward, y, g, **options):
    """One parity case. A backward pass is granted three times eager's error, measured by what cancels."""
    trial.parity(backward, y, g, reference=backward_reference, oracle=backward_oracle, scale=condition, k=3, **options)
