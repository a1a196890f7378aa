"""What is shown of C2: why a buffer needs an owner, a hand-over that waits for nobody, what two calls share, and what is left open."""

FAULT = "takes_over_without_waiting"

DERIVATION = """
Three kernels hand states on through memory. On one stream they run in order, so one buffer can serve call after call: the second call's first kernel begins when the first call's last one has ended.
On two streams nothing is ordered. The states of one call may be overwritten by the other between its kernels, and a result is wrong only now and then. Hence an owner: work in the buffer is asked for on one
stream, by one thread at a time. Two threads on one stream would be ordered on the card, but not between the lines of Python that ask.

How may the owner change? Everything that the owner before has asked for must be done before the new one's first kernel. An event recorded on the old stream *now* stands behind all of that; the new stream waits for it. An event
recorded earlier stands behind less.

Then the allocator. PyTorch's keeps freed memory for the stream on which it was allocated, and hands it out there at once, since that stream is in order. Memory that another stream uses must be announced
(record_stream), else it is handed out while that stream still reads.

And one more way into the buffer needs no second stream: a hook that calls softmax between two kernels of softmax. So a call marks the workspace, and what comes in between is refused.

How large? R rows of C chunks: two numbers a chunk, two a row, 8 R (C + 1) bytes. Where a call needs more than there is, take twice what there was, or the need if that is more: calls that grow slowly then allocate a logarithmic number of times, and never twice the need.
"""

LIMITATION = """
The order on the CPU is read from a log: queues there are numbers, nothing runs at once, and a hand-over that waits for nobody gives right results all the same. What the log cannot show, a card can: hands_over_on_the_device holds a stream up between the kernels of its call, and waits for
a GPU.

The mark that a call sets is a plain field. It keeps a hook out, and a second call of the same thread; another thread is kept out by the owner. Two threads that both call take_over at one moment are not kept apart: a lock would do that, and the contract says that they must agree.

A CUDA graph that was captured with a workspace holds its addresses. If the workspace grows or is released afterwards, a replay writes into memory that is no longer its own. Nothing here notices.
"""


def evidence(found: dict) -> list[str]:
    """What the kernels of both calls moved beside the tensors that were given and returned, and who launched."""
    moved = sum(launch["bytes"] for launch in found["launches"])
    named = sum((row["loaded"] + row["stored"]) * row["itemsize"] for row in found["tensors"].values())
    calls = [launch["kernel"] for launch in found["launches"]]
    return [
        f"  launches, in order: {', '.join(calls)}",
        f"  states to and from the workspace's memory: {moved - named} of the {moved} bytes that all launches move",
        "  the workspace needs 8 · 2 · (3 + 1) = 64 bytes for either call, so the second one finds what the first one made",
    ]
