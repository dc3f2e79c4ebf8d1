"""Records what NumPy makes of small inputs: python3 make.py > results.json

Its definitions are those of https://numpy.org/doc/stable/reference/routines.sort.html and of
numpy.unique, numpy.searchsorted and numpy.quantile. The inputs were drawn for this file. NumPy
takes -0 and +0 for equal, so floats have only one of the two.
"""

import json

import numpy as np

random = np.random.default_rng(20_261_127)
CASES = 2


def keys_of(name):
    """Keys of one type: few different ones, extremes, and for floats infinities and NaNs."""
    count = int(random.integers(8, 25))
    kind = np.dtype(name).kind
    if kind == "f":
        extremes = [np.inf, -np.inf, np.nan, np.finfo(name).max, np.finfo(name).tiny, -1.5, 0.0]
        some = np.array(extremes, dtype=name)
        drawn = random.integers(-4, 5, count).astype(name) / 2
        drawn[drawn == 0] = 0.0
    else:
        info = np.iinfo(name)
        some = np.array([info.min, info.max, 0, 1, info.max - 1], dtype=name)
        drawn = random.integers(0, 7, count).astype(name)
    picks = random.integers(0, len(some), count)
    return np.where(random.random(count) < 0.5, drawn, some[picks]).astype(name)


def text(values):
    """Each value as a text that says it exactly."""
    return [repr(value.item()) for value in np.asarray(values)]


def cases_of(name):
    for _ in range(CASES):
        keys = keys_of(name)
        other = random.integers(0, 3, len(keys)).astype("uint8")
        unique, index, counts = np.unique(keys, return_index=True, return_counts=True)
        sought = keys_of(name)
        case = {
            "keys": text(keys),
            "sort": text(np.sort(keys)),
            "argsort": np.argsort(keys, kind="stable").tolist(),
            "other": other.tolist(),
            # Of lexsort the last key counts most.
            "lexsort": np.lexsort((keys, other)).tolist(),
            "unique": text(unique),
            "index": index.tolist(),
            "counts": counts.tolist(),
            "sought": text(sought),
            "left": np.searchsorted(np.sort(keys), sought, side="left").tolist(),
            "right": np.searchsorted(np.sort(keys), sought, side="right").tolist(),
        }
        numbers = keys[np.isfinite(keys)] if np.dtype(name).kind == "f" else keys
        if len(numbers) > 0 and name not in ("int64", "uint64"):
            fractions = [0, 0.1, 0.25, 0.5, 0.9, 1]
            case["numbers"] = text(numbers)
            case["fractions"] = fractions
            case["quantiles"] = {
                method: text(np.quantile(numbers.astype("f8"), fractions, method=method))
                for method in ["linear", "lower", "higher", "nearest"]
            }
        yield case


TYPES = {
    "u8": "uint8",
    "i16": "int16",
    "i32": "int32",
    "u64": "uint64",
    "i64": "int64",
    "f32": "float32",
    "f64": "float64",
}

print(
    json.dumps(
        {
            "source": f"NumPy {np.__version__}, by make.py",
            "cases": [
                {"type": ours, **case} for ours, name in TYPES.items() for case in cases_of(name)
            ],
        },
        separators=(",", ":"),
    )
)
