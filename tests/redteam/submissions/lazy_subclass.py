# class 3
"""Returns right numbers inside a lazy subclass that adds only when it is looked at: the type alone breaks the contract."""


class Lazy(torch.Tensor):
    pass


def add(x, y):
    return (x + y).as_subclass(Lazy)
