"""What C2's set-up holds: queues, oracle and comparison, and ``drive``, by which the checks use workspaces in the learner's process."""

import contextlib
import threading

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from learning.judge import between
from learning.lens import device


class Queue:
    """What work is ordered in: a stream of a card, or on the CPU a number, as one thread uses it."""

    def __init__(self, stream, number):
        self._stream = stream
        self.key = (stream.device.index, stream.cuda_stream) if stream is not None else (number,)
        self.thread = threading.get_ident()

    def __eq__(self, other):
        return isinstance(other, Queue) and (self.key, self.thread) == (other.key, other.thread)

    def __hash__(self):
        return hash((self.key, self.thread))

    def __repr__(self):
        return f"queue {'.'.join(map(str, self.key))} of thread {self.thread}"

    def record(self):
        """A mark behind all work asked for on this queue so far."""
        event = None
        if self._stream is not None:
            event = torch.cuda.Event()
            event.record(self._stream)
        written.append(("record", self.key, len(written)))
        return event, len(written) - 1

    def wait(self, mark):
        """Let work asked for on this queue from now on begin behind ``mark``."""
        event, number = mark
        if event is not None:
            self._stream.wait_event(event)
        written.append(("wait", self.key, number))

    def keeps(self, tensor):
        """Tell the allocator that this queue uses memory which was allocated on another one."""
        if self._stream is not None:
            tensor.record_stream(self._stream)
        written.append(("keeps", self.key, tensor.untyped_storage().data_ptr()))


written = []
"""What queues were asked for, in order: (what, whose queue's key, which record or which memory); and ("call", key, -1) for each call of ``drive``."""
numbers = threading.local()
streams = {}


def on_a_card():
    """Whether queues are streams of a card. The device in use says so from the start; torch opens the card with the first tensor."""
    return device.current().kind == "cuda"


def current():
    """The queue in use."""
    stream = torch.cuda.current_stream() if on_a_card() else None
    return Queue(stream, getattr(numbers, "now", 0))


@contextlib.contextmanager
def on(number):
    """Within it queue ``number`` is the current one: on a card a stream of its own, which begins behind the caller's and ends before
    it; 0 is the caller's."""
    if on_a_card() and number:
        here, beside = torch.cuda.current_stream(), streams.setdefault(number, torch.cuda.Stream())
        beside.wait_stream(here)
        with torch.cuda.stream(beside):
            yield
        here.wait_stream(beside)
        return
    before, numbers.now = getattr(numbers, "now", 0), number
    try:
        yield
    finally:
        numbers.now = before


class Allocations(TorchDispatchMode):
    """Counts the tensors that get memory of their own."""

    made = 0


def counts(self, function, types, args=(), kwargs=None):
    """What ``Allocations`` does with an operator of torch's."""
    name = str(function._schema.name).rpartition("::")[2]
    self.made += name in MAKERS
    return function(*args, **(kwargs or {}))


Allocations.__torch_dispatch__ = counts  # in the class's body torch would wrap it, and import its compiler to do so
MAKERS = (
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "zeros", "zeros_like", "new_zeros",
    "ones", "ones_like", "new_ones", "full", "full_like", "new_full", "clone", "_to_copy",
)  # fmt: skip

workspaces = {}


def drive(steps, *tensors):
    """Take ``steps``, one after the other, and return what each gave: a tensor, a number, None, or "refused: …" with the words.

    ("open", name, queue)                          a workspace of that name; one that is open already stays
    ("softmax", name, queue, number, chunk_size)   softmax of tensor ``number`` in it; name "" for none
    ("extra", name, queue, number, chunk_size)     how many allocations that call makes besides its result's
    ("within", name, queue, number, other, chunk_size)  [result, what a call for tensor ``other`` gave between its kernels]
    ("amid", name, queue, number, what)            [result, what ``w.take_over()`` or ``w.release()`` gave between its kernels]
    ("elsewhere", name, queue, number, chunk_size) the same call from another thread
    ("take_over", name, queue), ("release", name, queue), ("nbytes", name), ("owned", name, queue)
    ("written",)                                  what queues were asked for: [what, queue, number] each, queues counted as they appeared
    """
    return [step_of(step, tensors) for step in steps]


def step_of(step, tensors):
    """One step of ``drive``."""
    what, *rest = step
    if what == "written":
        keys = list(dict.fromkeys(key for _, key, _ in written))
        return [[kind, keys.index(key), number if kind != "keeps" else 0] for kind, key, number in written]
    name, *rest = rest
    try:
        if what == "nbytes":
            return workspaces[name].nbytes
        if what == "elsewhere":
            queue, number, size = rest
            return in_another_thread(lambda: step_of(("softmax", name, queue, number, size), tensors))
        with on(rest[0]):
            return used(what, name, rest[1:], tensors)
    except (TypeError, ValueError) as refusal:
        return f"refused: {type(refusal).__name__}: {refusal}"


def used(what, name, rest, tensors):
    """A step on the queue that is current now."""
    if what == "open":
        workspaces.setdefault(name, None)
        workspaces[name] = workspaces[name] or Workspace()
        return None
    held = workspaces.get(name)
    if what == "owned":
        return held.owner == current()
    if what in ("take_over", "release"):
        return getattr(held, what)()
    x = tensors[rest[0]]
    options = {"workspace": held, "chunk_size": rest[-1]} if what != "amid" else {"workspace": held, "chunk_size": 256}
    if what == "softmax":
        written.append(("call", current().key, -1))
        return softmax(x, **options)
    if what == "extra":
        with Allocations() as alone:
            torch.empty(tuple(x.shape), dtype=x.dtype, device=x.device)
        with Allocations() as seen:
            softmax(x, **options)
        return seen.made - alone.made
    told = []

    def meanwhile(*_):
        if len(told) == 1:  # ahead of the second kernel
            told.append(None)
            told[-1] = attempt(
                lambda: getattr(held, rest[1])() if what == "amid" else softmax(tensors[rest[1]], **options)
            )
        elif not told:
            told.append(None)

    stop = between.ahead_of_launches(meanwhile)
    try:
        made = softmax(x, **options)
    finally:
        stop()
    return [made, *told[1:2]]


def attempt(call):
    """What ``call()`` gave, or the words of its refusal."""
    try:
        return call()
    except (TypeError, ValueError) as refusal:
        return f"refused: {type(refusal).__name__}: {refusal}"


def in_another_thread(call):
    """What ``call()`` gave in a thread of its own."""
    found = []
    other = threading.Thread(target=lambda: found.append(call()))
    other.start()
    other.join()
    return found[0] if found else "the thread died"


def eager_softmax(x):
    """Softmax of each row of ``x`` by eager torch in ``x``'s own dtype."""
    return torch.softmax(x, dim=1)


def true_softmax(x):
    """The definition in float64."""
    wide = x.double()
    weights = (wide - wide.amax(dim=1, keepdim=True)).exp()
    return weights / weights.sum(dim=1, keepdim=True)


def agrees(trial, softmax, x, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number."""
    trial.parity(softmax, x, reference=eager_softmax, oracle=true_softmax, **options)


def states(trial, reference, cases):
    """``reference`` gives for each of the tensors ``cases`` what the oracle gives, but for 16 roundings of its dtype."""
    for x in cases:
        called = trial.called(reference, (x,))
        got, truth = reference(x), true_softmax(x)
        trial.expect(
            isinstance(got, torch.Tensor) and (got.shape, got.dtype) == (x.shape, x.dtype),
            called=called, got=got, expected=f"a tensor of shape {tuple(x.shape)} and dtype {x.dtype}",
        )  # fmt: skip
        off = (got.double() - truth).abs()
        where = (~(off <= 16 * torch.finfo(x.dtype).eps * truth + torch.finfo(x.dtype).tiny)).nonzero()
        place = tuple(where[0].tolist()) if len(where) else ()
        trial.expect(
            not len(where), called=called, where=f"element {list(place)}",
            got=str(got[place].item()) if place else "", expected=str(truth[place].item()) if place else "",
        )  # fmt: skip


def need(rows, columns, chunk_size):
    """Bytes of scratch that a call needs."""
    return 8 * rows * (-(-columns // chunk_size) + 1)


def story(trial, drive, steps, *tensors):
    """What ``drive`` tells of ``steps``, each told in words where it is not what was expected: see ``Told``."""
    return Told(trial, steps, trial.returns(drive, steps, *tensors))


class Told:
    """What steps gave, in order; its methods take the number of a step and raise ``WrongAnswer`` unless it gave that."""

    def __init__(self, trial, steps, found):
        self.trial, self.steps, self.found = trial, steps, found
        whole = isinstance(found, list) and len(found) == len(steps)
        trial.expect(whole, called="drive(steps)", got=found, expected=f"{len(steps)} answers")

    def words(self, number):
        """The steps up to that one, the last of them at length."""
        before = ", ".join(" ".join(map(str, step[:3])) for step in self.steps[:number])
        return f"{' '.join(map(str, self.steps[number]))}" + (f", after {before}" if before else "")

    def same(self, number, other, part=None):
        """It gave the tensor ``other``, bit for bit."""
        got = self.found[number] if part is None else self.found[number][part]
        tensor = isinstance(got, torch.Tensor)
        self.trial.expect(tensor, called=self.words(number), got=got, expected="a result")
        self.trial.same(got, other, called=self.words(number), expected="the bits of a call with scratch of its own")

    def is_refused(self, number, *words, part=None):
        """It was refused with a ValueError whose message holds ``words``."""
        got = self.found[number] if part is None else (self.found[number] or [None])[-1]
        said = got if isinstance(got, str) else ""
        right = said.startswith("refused: ValueError") and all(word.lower() in said.lower() for word in words)
        self.trial.expect(
            right, called=self.words(number), got=got, expected=f"a ValueError that names {', '.join(words)}"
        )

    def is_within(self, number, low, high):
        """It gave a whole number from ``low`` up to and including ``high``."""
        got = self.found[number]
        right = type(got) is int and low <= got <= high
        span = f"{low}" if low == high else f"{low} to {high}"
        self.trial.expect(right, called=self.words(number), got=got, expected=span)

    def is_done(self, *numbers):
        """Steps that give nothing were not refused."""
        for number in numbers:
            self.trial.expect(
                self.found[number] is None,
                called=self.words(number),
                got=self.found[number],
                expected="None: it is done",
            )


def race(x, y):
    """GPU only: softmax of ``x`` on one stream, held up between its kernels, then the workspace taken over and used for ``y`` on another."""
    here, one, two = torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()
    softmax(x, chunk_size=256)  # compiled by now, so that all launches below are asked for at once
    one.wait_stream(here)
    two.wait_stream(here)
    stop = between.ahead_of_launches(lambda *_: torch.cuda._sleep(20_000_000))  # some 10 ms of that stream
    try:
        with torch.cuda.stream(one):
            held = Workspace()
            first = softmax(x, workspace=held, chunk_size=256)
    finally:
        stop()
    with torch.cuda.stream(two):
        held.take_over()
        second = softmax(y, workspace=held, chunk_size=256)
    here.wait_stream(one)
    here.wait_stream(two)
    return first, second
