"""C2: split softmax whose scratch belongs to a workspace, and a workspace that belongs to a queue."""

from learning.lesson import Lesson

CONTRACT = """\
A **queue** is what work is ordered in: on a card one of its streams, as one thread uses it; on the course's CPU device, which has no streams, a number, as one thread
uses it. The set-up gives `current()`, the queue in use. A `Queue` can be compared (`==`) and printed, and has three methods: `record()` returns a mark behind all
work asked for on it so far; `wait(mark)` lets work asked for on it from now on begin behind a mark; `keeps(tensor)` tells the allocator that it uses memory which
was allocated on another queue. On the CPU all three are written down, and order nothing, since nothing runs at once there.

**`Workspace()`** owns scratch for `softmax`.

- It belongs to the queue that is current when it is made: `owner`. It holds no memory before its first call.
- `nbytes` is how much it holds. A call for R rows of C chunks needs 8·R·(C + 1) bytes: two float32 numbers a chunk, two a row. After a call `nbytes` is at least the largest
  need so far and less than twice that; it never shrinks by itself.
- A call that needs no more than an earlier one allocates nothing but its result. Two workspaces never share memory.
- **Owner alone**: from another queue, be it another stream or another thread, `softmax(…, workspace=w)` and `w.release()` are refused with a `ValueError` that names the
  workspace and `take_over`. The refusal changes nothing.
- `take_over()`, called on any queue, makes that queue the owner. What it asks for from then on begins behind all that the owner before asked for up to this moment: it waits for a mark which
  is recorded now, on that other queue. Memory is kept, `nbytes` stays, and the new queue `keeps` it. For the owner itself it does nothing.
- **One call at a time**: a call that begins while another one on the same workspace has not returned (from a hook, say) is refused with a `ValueError` that names the
  workspace and says "in use"; so are `take_over()` and `release()`. The call that was under way is not harmed. A call that was refused for its arguments, or that failed,
  leaves the workspace free.
- `release()` lets go of the memory: `nbytes` is 0. The workspace can be used again, and grows anew.

**`softmax(x, *, workspace=None, chunk_size=1024)`** is A2's: the softmax of every row of a contiguous 2-D `x` of `float32`, `float16` or `bfloat16` on the device in use, with 1 to 131072
columns, any number of rows and at most 2³¹ − 1 elements; `chunk_size` is 256, 1024 or 4096. The result is fresh, contiguous, of that shape, dtype and device; zero rows give an empty one and touch no
workspace's memory. Arithmetic is fp32 inside, states included, one cast at the end; x is asked for twice at most and never written. With `workspace=None` scratch belongs
to the call; with a `Workspace` it is the workspace's, and the result is the same, bit for bit. Refused with a `TypeError` or `ValueError` that names the argument and the limit: an `x` or `chunk_size` outside of this, and a `workspace` that is neither.

**`softmax_reference(x)`** is yours as well: the same in eager torch, in the dtype of `x`, for any input that the contract allows.

A workspace is handed from one thread to another by agreement: `take_over()` while the other thread is between two calls. Two threads that race for it are not part of this contract."""

HINTS = (
    "Say for each of these why it goes wrong, before you write a line: two calls on two streams write states into one buffer; a buffer is handed back to the allocator while "
    "another stream still reads it; a hook calls softmax between two kernels of softmax. Which sentence of the contract is about which?",
    "Four fields are enough: owner, buffer (None at first), busy, and nothing else. One method, say `_begin(floats)`, refuses (queue, then busy), grows where it must, marks busy and gives the buffer; "
    "another ends the call. In softmax: refuse x and chunk_size, then begin, then try: … finally: end. Slices of one buffer serve as the four tensors.",
    "take_over: busy is refused; queue = current(); the owner itself returns. queue.wait(self.owner.record()): recorded now, on the queue before. Where there is a buffer, queue.keeps(buffer). Then owner = queue. "
    "Growth: torch.empty of max(need, twice what there was), which stays under twice the need, since it happens only where the need is larger than what there was.",
)

LESSON = Lesson(
    id="C2",
    title="A workspace with an owner",
    sentence="Take the allocations out of a hot loop, and say whose scratch it is, on which stream, and who may have it next.",
    level="capstone",
    order=920,
    minutes=300,
    needs=("A2",),
    entries=("softmax", "Workspace", "softmax_reference"),
    drivers=("drive", "race"),
    contract=CONTRACT,
    hints=HINTS,
    gates=("reference", "parity"),
)
