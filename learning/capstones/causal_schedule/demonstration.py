"""What is shown of C1: why pairs of tiles are even, a schedule that is not, visits counted, and what a pair cannot give."""

FAULT = "one_tile_a_program"

DERIVATION = """
T tiles of queries, and tile i (from 0) meets the tiles of keys 0 … i: i + 1 visits. All of them together make 1 + 2 + … + T = T (T + 1) / 2, where a
walk over every key makes T². The future is nearly half of the square, and is left out by letting the walk end at the diagonal.

One tile a program would be uneven: the last program makes T visits, the average one (T + 1) / 2, so the busiest has 2 T / (T + 1) times the average. At T = 8 that is
1.78, and it nears 2. The launch takes as long as its last program.

Tile p and its mirror image T − 1 − p together make (p + 1) + (T − p) = T + 1 visits, whatever p is. So ⌈T / 2⌉ programs take a pair each, and for even T all of them make the
same number of visits. For odd T the middle tile is its own mirror image: one program makes (T + 1) / 2 visits, the others T + 1, and the average is
T (T + 1) / 2 ÷ (T + 1) / 2 = T. The busiest has (T + 1) / T times the average: 1.11 at T = 9, and 1.002 at T = 511. The contract's 1.25 leaves room for other schedules.

Between its two walks a program keeps nothing. Each query belongs to one walk, so its maximum, sum and mixture begin anew, and a row of the result is the one that A3's walk gives.
"""

LIMITATION = """
Half as many programs: 16 384 tokens in tiles of 32 are 256 pairs, not quite two for each multiprocessor of an H200, which has 132; 2048 tokens are 32 pairs, and a hundred multiprocessors look on. There the keys must be cut as well, as in A3's tuned version.

Visits are counted, not microseconds. That programs are even says that none is late if all run at one speed at once; on a card with fewer places than programs it is the order in which they start that decides,
and starting the longest first, one tile a program, is a schedule too. The contract counts programs and would refuse it. Only a GPU can say which of them is faster.

A visit of the tile on the diagonal computes scores that are thrown away, half of a tile for each tile of queries.
"""


def evidence(found: dict) -> list[str]:
    """Visits read off the rows of k that were loaded, beside what a walk over all keys would make."""
    (launch,) = found["launches"]
    tile = launch["constexprs"]["TILE"]
    tokens, width = found["tensors"]["k"]["shape"]
    tiles = -(-tokens // tile)
    visits = {name: found["tensors"][name]["loaded"] / (tile * width) for name in ("k", "v")}
    mean = launch["loaded"] / launch["programs"]
    return [
        f"  tiles of {tile}: {tiles}; visits of a tile of keys: {visits['k']:g}, of values: {visits['v']:g}",
        f"  1 + 2 + … + {tiles} = {tiles * (tiles + 1) // 2}; a walk over all keys makes {tiles * tiles}",
        f"  the busiest program loads {launch['busiest'] / mean:.3f} times the average; one tile a program would be near {2 * tiles / (tiles + 1):.2f}",
    ]
