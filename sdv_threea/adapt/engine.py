"""JAX as this room uses it: in double precision, on its default device, and compiled once.

XLA compiles a program for every shape it meets. So what is handed to it is padded to a few shapes,
in ways that change no result, and a second table rarely needs a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from typing import Any

import jax

from sdv_threea.adapt.features import KernelFeatures

try:
    from jax import enable_x64
except ImportError:  # where older JAX keeps it
    from jax.experimental import enable_x64  # type: ignore[attr-defined, no-redef]

#: ``with float64():`` computes in double precision, and leaves the user's JAX settings alone.
float64 = partial(enable_x64, True)

#: For programs that run for less time than XLA would spend on making them fast: on a CPU they
#: compile in a third of the time and take twice as long. The names are XLA's own.
QUICK = {'xla_backend_optimization_level': 0, 'xla_cpu_use_fusion_emitters': False}

#: From one padded size to the next.
GROWTH = 4

jax.tree_util.register_dataclass(
    KernelFeatures,
    data_fields=['landmarks', 'projection', 'scale'],
    meta_fields=['kernel'],
)


def quick_jit(
    function: Callable[..., Any], static_argnums: tuple[int, ...] = ()
) -> Callable[..., Any]:
    """Compile a function as :func:`jax.jit` does: in less time, where XLA lets us choose.

    Args:
        function: A function of arrays.
        static_argnums: The arguments that are no arrays.

    Returns:
        The same function, compiled when it is first called on the default device with such shapes.
    """

    @cache
    def compiled(platform: str) -> Callable[..., Any]:
        options = _quick_options() if platform == 'cpu' else {}
        return jax.jit(function, static_argnums=static_argnums, compiler_options=options)

    @wraps(function)
    def call(*args: Any) -> Any:
        # Where JAX puts a number is the default device, whoever chose it.
        (device,) = jax.device_put(0.0).devices()
        return compiled(device.platform)(*args)

    return call


def padded_size(size: int, least: int) -> int:
    """Find the smallest of ``least``, ``4 least``, ``16 least``, ... that is not below the size."""
    padded = least
    while padded < size:
        padded *= GROWTH
    return padded


@cache
def _quick_options() -> dict[str, int | bool]:
    """List the options that this version of XLA knows."""
    return {name: value for name, value in QUICK.items() if _is_known({name: value})}


def _is_known(options: dict[str, int | bool]) -> bool:
    try:
        jax.jit(jax.numpy.negative, compiler_options=options)(0.0)
    except Exception:  # which one, is not documented
        return False
    return True
