"""Which tool results to leave out of a summary request that is too long: the middle first."""

from __future__ import annotations


def middle_out(results: int, percent: int) -> tuple[int, ...]:
    """Numbers of the results to leave out, in order, outwards from the middle.

    At an odd number of results the outermost place on the left does not exist, so 100 percent
    leaves the newest one; and of a single result nothing is ever left out.
    """
    if percent == 0 or results == 0:
        return ()
    middle = results // 2
    places = (
        middle + at // 2 if at % 2 else middle - at // 2 - 1
        for at in range(max(1, results * percent // 100))
    )
    return tuple(place for place in places if 0 <= place < results)
