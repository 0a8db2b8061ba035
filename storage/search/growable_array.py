"""Arrays that grow. Pure."""

from typing import Any

import numpy as np
import numpy.typing as npt


def roomy(held: npt.NDArray[Any], used: int, count: int) -> npt.NDArray[Any]:
    """An array with room for `count` rows, the first `used` kept."""
    if count <= len(held):
        return held
    made = np.empty((max(count, len(held) * 5 // 4, 64), *held.shape[1:]), held.dtype)
    made[:used] = held[:used]
    return made
