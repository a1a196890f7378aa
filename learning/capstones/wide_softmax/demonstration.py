"""What is shown of C3: what can be kept of a row, a kernel that keeps nothing, passes counted, and what this costs."""

FAULT = "keeps_nothing"

DERIVATION = """
A quotient needs the row's maximum and sum, and both need the whole row. So whoever has let go of a value before the end of the first walk has to ask for it again. How much can one program keep?

A multiprocessor has 65 536 registers of 32 bits. A program of 16 warps has 512 threads, so a thread may have 128. Of a block of 32 768 float16 values a thread holds 64, two in a register: 32 registers, and 64 where a compiler keeps each in its own.
Either fits beside the 16 values of a chunk of 8192 and what is computed with them. A block of 65 536 would need 64 or 128 registers for itself. That is where the contract's 32 768 comes from.

A row of C columns, K of them kept: the first walk asks for all C, the second for C − K. That is 2 − K / C rows: 1 up to 32 768 columns, 1.5 at 65 536, 1.75 at 131 072. The result is stored once. In float16, 131 072 columns: 262 144 bytes in, 196 608 once more, 262 144 out.

The numbers of the kept block begin A1's state; the chunks are pushed onto it. The second walk goes backwards, since what was read last is the likeliest to be in a cache still. A row is 256 KiB in float16, and as many rows are under way as programs fit on the card: with one on each of 132
multiprocessors that is 33 MiB, less than the 60 MiB of L2 that an H200 reports. Then what the second walk asks for need not come from memory at all.
"""

LIMITATION = """
Requests are counted here, not time, and a request that a cache answers costs little: the two-pass kernel has caches too. Whether 1.75 requests in one launch beat 2 in two launches is what beats_the_best_two_pass_kernel and the row in benchmarks/speed_rows.py are for, on a GPU; docs/reference-results.md has what an H200 took.

One program a row: 64 rows occupy 64 multiprocessors, and a large card looks on. Programs that share a row and wait for one another, each with its part in registers, ask for every value once, as the tuned form of A2 does. It is the faster kernel where its programs are on the card at the same time, which no launch of
this kind promises. It pays with scratch, with a launch that clears it, and with a second way for whoever has waited in vain. None of the three is needed here.

What is kept is a power of two: of a row with 20 000 columns a block of 32 768 holds all, and 12 768 of its lanes hold nothing.
"""


def evidence(found: dict) -> list[str]:
    """Rows asked for, beside the two of a two-pass kernel, from the bytes that were loaded."""
    (launch,) = found["launches"]
    x, kept = found["tensors"]["x"], launch["constexprs"]["HELD"]
    columns, size = x["shape"][1], x["itemsize"]
    spared = 2 * x["elements"] * size - x["loaded"] * size
    return [
        f"  kept of a row: {kept} of {columns} columns, so 2 − {kept} / {columns} = {2 - kept / columns:g} rows are asked for",
        f"  seen: {x['load_passes']:g} rows, {spared} bytes a row fewer than two passes ask for; no element more than "
        f"{'twice' if x['most_loaded'] == 2 else x['most_loaded']}",
    ]
