"""What is shown of C3: what can be kept of a row, a kernel that keeps nothing, passes counted, and what this costs."""

FAULT = "keeps_nothing"

DERIVATION = """
A quotient needs the row's maximum and sum, and both need the whole row. So whoever has let go of a value before the end of the first walk has to ask for it again. How much can one program keep?

A multiprocessor has 65 536 registers of 32 bits. A program of 32 warps has 1024 threads, so a thread may have 64. Of a block of 32 768 values a thread holds 32: 16 registers where two of 16 bits share one, 32 where each has its own, as a float32 has, or a float16 that the compiler keeps widened.
Either fits beside what the quotients need, if nothing else lives at that time. With a register for each value a block of 65 536 would take all 64. That is where the contract's 32 768 comes from.

The order is a choice. Loaded before the walk, the block would occupy 16 or 32 of a thread's registers all the while and wait; loaded behind it, the walk has them all. A step of the walk wants few, 8 values of 16 bits and one maximum and sum in a thread, so the compiler spills nothing either way: registers allow this order, they do not force it. What it is worth in time was not measured. The block is loaded when the walk is over, and joins its two numbers to the row's. From then on nobody asks for it again.

A row of C columns, K of them kept: the first walk and the block ask for all C, the second walk for C − K. That is 2 − K / C rows: 1 up to 32 768 columns, 1.5 at 65 536, 1.75 at 131 072. The result is stored once. In float16, 131 072 columns: 262 144 bytes in, 196 608 once more, 262 144 out.

The second walk goes backwards, since what was read last is the likeliest to be in a cache still. A row is 256 KiB in float16, and a program of 32 warps has a multiprocessor to itself: on 132 of them that is 33 MiB, less than the 60 MiB of L2 that an H200 reports. Then what the second walk asks for need not come from memory at all.
The first walk asks the cache to keep what it reads, and all that is not wanted again is marked as the first to go.

In float16 weights are powers of two: exp(x − m) is 2 to the power x · log2(e) − m · log2(e), one instruction for product and difference and one for the power. The largest float16 times log2(e) is rounded by less than 0.004, and that error is the same in a weight and in the sum it is divided by. A float32 or a bfloat16 can be so large that the product overflows, or that the error does what the maximum was to prevent.
"""

LIMITATION = """
Requests are counted here, not time, and a request that a cache answers costs little: the two-pass kernel has caches too. Whether 1.75 requests in one launch beat 2 in launches that take turns in the cache is what beats_the_best_two_pass_kernel and the row in benchmarks/speed_rows.py are for, on a GPU; docs/reference-results.md has what an H200 took.

One program a row: 64 rows occupy 64 multiprocessors, and a large card looks on. Programs that share a row and wait for one another, each with its part in registers, ask for every value once, as the tuned form of A2 does. It is the faster kernel where its programs are on the card at the same time, which no launch of
this kind promises. It pays with scratch, with a launch that clears it, and with a second way for whoever has waited in vain. None of the three is needed here.

What is kept is a power of two: of a row with 20 000 columns a block of 32 768 holds all, and 12 768 of its lanes hold nothing. And a row whose length is no multiple of 16 begins anywhere, so its columns arrive one by one, an address each. Where it fills the block the registers suffice for that; where it is a little too short, as 32 767 columns are, a mask for each comes on top, the compiler runs out of registers, and some values go into memory.
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
