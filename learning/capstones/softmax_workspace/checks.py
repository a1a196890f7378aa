"""The checks of C2, all of them public: its own reference, A2's softmax, memory, owners, order, calls within calls, refusals, house rules."""

import torch

from learning.capstones.softmax_workspace.given import agrees, eager_softmax, need, states, story, true_softmax
from learning.judge import check


@check(points=1)
def states_the_reference_first(softmax_reference, trial):
    """Your own reference says in eager torch what is asked for: without one there is no kernel."""
    trial.case("rows of 1, 7 and 300, far below zero and far above")
    cases = [trial.normal(2, 1), trial.normal(3, 7, scale=4.0), trial.normal(2, 300, offset=-200.0)]
    states(
        trial, softmax_reference, [*cases, trial.normal(2, 300, dtype=torch.float16, scale=64.0), trial.normal(0, 5)]
    )


@check(points=2)
def agrees_with_scratch_of_the_calls_own(softmax, trial):
    """Without a workspace it is A2: one column, a chunk, one column more, the largest value in each chunk, all dtypes, no rows."""
    for rows, columns in ((2, 1), (2, 256), (2, 257), (1, 600), (0, 300)):
        trial.case(f"{rows} rows of {columns}, chunks of 256")
        agrees(trial, softmax, trial.normal(rows, columns), chunk_size=256)
    for dtype in trial.dtypes[1:]:
        trial.case(f"2 rows of 1300, chunks as they come, {dtype}")
        agrees(trial, softmax, trial.normal(2, 1300, dtype=dtype, scale=4.0))
    trial.case("3 rows of 513, one high value each, around -200")
    x = trial.normal(3, 513, offset=-200.0)
    for row, column in enumerate((5, 300, 512)):
        x[row, column] += 14.0 + row
    agrees(trial, softmax, x, chunk_size=256)


@check(points=2)
def gives_the_same_bits_in_a_workspace(softmax, drive, trial):
    """Larger, smaller, another dtype, another chunk size, one call after the other in one workspace: none
    sees what an earlier one left behind, and no result is touched again."""
    trial.case("six calls in one workspace")
    given = [trial.normal(2, 700), trial.normal(3, 1300, scale=4.0), trial.normal(1, 5), trial.normal(2, 300, offset=9.0).half(),
             trial.normal(0, 40), trial.normal(2, 700)]  # fmt: skip
    sizes = (256, 256, 1024, 256, 256, 256)
    steps = [("open", "w", 0), *(("softmax", "w", 0, number, size) for number, size in enumerate(sizes))]
    told = story(trial, drive, steps, *given)
    told.is_done(0)
    for number, (x, size) in enumerate(zip(given, sizes, strict=True)):
        told.same(number + 1, trial.returns(softmax, x, chunk_size=size))


@check(points=2)
def allocates_once_and_no_more(drive, trial):
    """Nothing before the first call; then enough, and less than twice what the largest call needs; later calls allocate their result alone."""
    trial.case("calls of 2 rows of 700 and of 3 rows of 1300, chunks of 256")
    small, large = trial.normal(2, 700), trial.normal(3, 1300)
    least, most = need(2, 700, 256), need(3, 1300, 256)
    steps = [("open", "w", 0), ("nbytes", "w"), ("softmax", "w", 0, 0, 256), ("nbytes", "w"), ("extra", "w", 0, 0, 256),
             ("softmax", "w", 0, 1, 256), ("nbytes", "w"), ("extra", "w", 0, 1, 256), ("extra", "w", 0, 0, 256), ("nbytes", "w"),
             ("release", "w", 0), ("nbytes", "w"), ("softmax", "w", 0, 0, 256), ("nbytes", "w")]  # fmt: skip
    told = story(trial, drive, steps, small, large)
    told.is_within(1, 0, 0)
    told.is_within(3, least, 2 * least - 1)
    told.is_within(4, 0, 0)
    for number in (6, 9):
        told.is_within(number, most, 2 * most - 1)
    for number in (7, 8, 11):
        told.is_within(number, 0, 0)
    told.is_done(10)
    told.is_within(13, least, 2 * least - 1)


@check(points=2)
def keeps_two_workspaces_apart(drive, trial):
    """A call in a second workspace, on a second queue, between the kernels of a call in the first: neither reaches the other."""
    for one, other in (((2, 300), (2, 300)), ((2, 600), (3, 300))):
        trial.case(f"{one[0]} rows of {one[1]} in one, {other[0]} of {other[1]} in the other")
        x, y = trial.normal(*one), trial.normal(*other, scale=4.0, offset=-3.0)
        first = [("open", "a", 1), ("softmax", "a", 1, 0, 256)]
        second = [("open", "b", 2), ("softmax", "b", 2, 0, 256)]
        trial.interleaved(drive, (first, x), (second, y))


@check(points=2)
def belongs_to_one_queue(softmax, drive, trial):
    """Another stream and another thread are refused, by call and by release; the owner notices nothing. Nobody's queue is special."""
    trial.case("2 rows of 300, owned by queue 1")
    x = trial.normal(2, 300)
    steps = [("open", "w", 1), ("softmax", "w", 1, 0, 256), ("softmax", "w", 2, 0, 256), ("softmax", "w", 0, 0, 256), ("release", "w", 2),
             ("elsewhere", "w", 1, 0, 256), ("owned", "w", 1), ("nbytes", "w"), ("softmax", "w", 1, 0, 256)]  # fmt: skip
    told = story(trial, drive, steps, x)
    for number in (2, 3, 4, 5):
        told.is_refused(number, "workspace", "take_over")
    trial.expect(
        told.found[6] is True, called=told.words(6), got=told.found[6], expected="True: queue 1 is still the owner"
    )
    told.is_within(7, need(2, 300, 256), 2 * need(2, 300, 256) - 1)
    alone = trial.returns(softmax, x, chunk_size=256)
    for number in (1, 8):
        told.same(number, alone)


@check(points=2)
def hands_over_in_order(softmax, drive, trial):
    """take_over waits on the new queue for a mark recorded on the old one behind its last call, keeps the memory, and says so to the allocator."""
    trial.case("2 rows of 300, from queue 1 to queue 2")
    x = trial.normal(2, 300)
    steps = [("open", "w", 1), ("softmax", "w", 1, 0, 256), ("nbytes", "w"), ("take_over", "w", 2), ("nbytes", "w"),
             ("softmax", "w", 2, 0, 256), ("extra", "w", 2, 0, 256), ("softmax", "w", 1, 0, 256), ("owned", "w", 2), ("take_over", "w", 2),
             ("written",)]  # fmt: skip
    told = story(trial, drive, steps, x)
    told.is_done(3, 9)
    trial.expect(told.found[4] == told.found[2], called=told.words(4), got=told.found[4], expected=told.found[2])
    told.same(5, trial.returns(softmax, x, chunk_size=256))
    told.is_within(6, 0, 0)
    told.is_refused(7, "workspace", "take_over")
    trial.expect(told.found[8] is True, called=told.words(8), got=told.found[8], expected="True: queue 2 is the owner")
    log = told.found[10]
    calls = [at for at, (what, _, _) in enumerate(log) if what == "call"]
    handed = log[calls[0] + 1 : calls[1]]
    one, two = log[calls[0]][1], log[calls[1]][1]
    waits = [number for what, queue, number in handed if what == "wait" and queue == two]
    right = any(number > calls[0] and log[number][:2] == ["record", one] for number in waits)
    trial.expect(
        right, called=told.words(3), got=f"on queues: {handed}" if handed else "nothing asked of either queue",
        expected="the new queue waits for a mark that the old queue records now, behind its call",
        advice="work that was asked for may not have begun: which mark is behind all of it?",
    )  # fmt: skip
    trial.expect(
        any(what == "keeps" and queue == two for what, queue, _ in handed), called=told.words(3), got=f"on queues: {handed}",
        expected="the new queue keeps the memory, which was allocated on the old one",
        advice="the allocator knows the queue that a tensor was made on. Who tells it that another one reads there too?",
    )  # fmt: skip


@check(points=2)
def refuses_a_call_within_a_call(softmax, drive, trial):
    """A hook that calls softmax between two kernels of softmax, takes over or releases: refused as in use, and the call under way is right."""
    trial.case("2 rows of 300, and 2 others between the kernels")
    x, y = trial.normal(2, 300), trial.normal(2, 300, offset=5.0)
    steps = [("open", "w", 0), ("softmax", "w", 0, 0, 256), ("within", "w", 0, 0, 1, 256), ("amid", "w", 0, 0, "take_over"),
             ("amid", "w", 0, 0, "release"), ("softmax", "w", 0, 1, 256)]  # fmt: skip
    told = story(trial, drive, steps, x, y)
    alone = trial.returns(softmax, x, chunk_size=256)
    for number in (2, 3, 4):
        told.is_refused(number, "workspace", "in use", part=1)
        told.same(number, alone, part=0)
    told.same(5, trial.returns(softmax, y, chunk_size=256))


@check(points=1)
def is_free_again_after_a_refusal(softmax, drive, trial):
    """A call with arguments that the contract excludes leaves the workspace as it was."""
    trial.case("2 rows of 300, between calls that are refused")
    x = trial.normal(2, 300)
    steps = [("open", "w", 0), ("softmax", "w", 0, 1, 256), ("softmax", "w", 0, 0, 512), ("softmax", "w", 0, 0, 256)]
    told = story(trial, drive, steps, x, x.double())
    for number in (1, 2):
        said = told.found[number]
        trial.expect(isinstance(said, str), called=told.words(number), got=said, expected="a refusal")
    told.same(3, trial.returns(softmax, x, chunk_size=256))


@check(points=1)
def walks_over_x_twice_and_hands_on_little_else(softmax, trial):
    """x is requested twice at most and the result stored once; states are small beside it, and sums stay in float32."""
    trial.case("2 rows of 1030, chunks of 256, float16")
    x = trial.normal(2, 1030, dtype=torch.float16)
    seen = trial.structure(softmax, x, reference=eager_softmax, oracle=true_softmax, chunk_size=256)
    seen.passes(x=2, out=1, scratch=0.2)
    seen.writes_once()
    seen.adds_in_float32()


@check(points=1)
def refuses_what_the_contract_excludes(softmax, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    x = trial.normal(2, 5)
    for value in (None, 3.0, [[1.0, 2.0]], x.double(), x.int(), x.clone().requires_grad_()):
        trial.rejects(softmax, value, names="x")
    for wrong_rank in (x[0, 0], x[0], x[None]):
        trial.rejects(softmax, wrong_rank, names="x", limit="2")
    for columns in (0, 131073):
        trial.rejects(softmax, x.new_zeros(1, columns), names="x", limit="131072")
    for lying in (x.t(), x[:, ::2], x[:, :4]):
        trial.rejects(softmax, lying, names="x", limit="contiguous")
    for size in (512, 0, True, None, "256"):
        trial.rejects(softmax, x, chunk_size=size, names="chunk_size", limit="256 1024 4096")
    for wrong in (x, 0, True, "w"):
        trial.rejects(softmax, x, workspace=wrong, names="workspace")


@check(points=1)
def keeps_the_house_rules(softmax, trial):
    """Kernels of your own find the maxima, the sums and the quotients: PyTorch makes the tensors that hold them."""
    trial.house_rules(softmax, trial.normal(2, 5))


@check(points=2, needs_gpu=True)
def hands_over_on_the_device(softmax, race, trial):
    """A stream is held up between the kernels of its call; another takes the workspace over and uses it at once. Both are right."""
    trial.case("8 rows of 3000 and 8 others, chunks of 256")
    x, y = trial.normal(8, 3000), trial.normal(8, 3000, offset=5.0)
    first, second = trial.returns(race, x, y)
    alone = [trial.returns(softmax, one, chunk_size=256) for one in (x, y)]
    for got, right, whose in ((first, alone[0], "the call that was held up"), (second, alone[1], "the call behind it")):
        trial.same(got, right, called=whose, expected="the bits of a call with scratch of its own")
