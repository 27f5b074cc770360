"""Functions whose values are vectors and fields, learned with operator-valued kernels at the cost of a linear model.

Names are imported when they are first used: ``import orff`` loads none of the libraries it works with.
"""

from importlib import import_module as _import_module

from ._names import PLACES as _PLACES

__all__ = [*sorted(_PLACES), "bounds", "kernels", "plot"]


def __getattr__(name: str):
    if name in _PLACES:
        value = getattr(_import_module(f"orff.{_PLACES[name]}"), name)
    elif name in ("bounds", "kernels", "plot"):
        value = _import_module(f"orff.{name}")
    elif name == "__version__":
        value = _import_module("orff._orff").__version__
    else:
        raise AttributeError(f"module 'orff' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
