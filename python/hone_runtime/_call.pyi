from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

_Tensors = Tuple[Tuple[Tuple[int, ...], np.dtype[Any], int, bool, Tuple[int, ...]], ...]
_Arrays = Tuple[np.ndarray[Any, Any], ...]

class Quick:
    def _arm(
        self,
        run_with: int,
        output_info: int,
        set_input_shape: int,
        session: int,
        ndarray: type,
        check: Callable[[int], None],
        begin: Callable[[np.ndarray[Any, Any], Tuple[int, ...]], np.ndarray[Any, Any]],
        inputs: _Tensors,
        outputs: _Tensors,
    ) -> bool: ...
    def _run_quickly(self, inputs: _Arrays, outputs: Sequence[np.ndarray[Any, Any]]) -> Optional[_Arrays]: ...
