"""Golden invoices of the cache model, worked out by hand."""

from bench.measure.cache import Anthropic, Billed, Chain, OpenAI, Uncached
from bench.measure.ledger import Ledger
from bench.trace import Message, Text

U, A = "user", "assistant"


def chain_of(*roles: str, pinned: int = 2_000, size: int = 100) -> Chain:
    chain = Chain(pinned, {})
    add(chain, *roles, size=size)
    return chain


def add(chain: Chain, *roles: str, size: int = 100) -> None:
    start = len(chain.messages)
    made = [
        Message(f"m{start + at}", role, (Text(f"{start + at}"),)) for at, role in enumerate(roles)
    ]
    chain.extend(made, [size] * len(made))


def test_the_first_request_writes_all_and_the_next_reads_it():
    cache, chain = Anthropic(), chain_of(U)
    assert cache.send(chain, 0, 0) == Billed(0, 2_100, 0, 2_100)
    add(chain, A, U)
    assert cache.send(chain, 10, 10) == Billed(2_100, 200, 0, 2_300)


def test_what_stands_behind_the_last_mark_is_not_stored():
    cache, chain = Anthropic(), chain_of(U, A)
    assert cache.send(chain, 0, 0) == Billed(0, 2_100, 100, 2_100)


def test_unused_for_longer_than_its_life_it_is_gone_and_use_renews_it():
    cache, chain = Anthropic(ttl=300), chain_of(U)
    cache.send(chain, 0, 0)
    assert cache.send(chain, 300, 300).read == 2_100
    assert cache.send(chain, 600, 600).read == 2_100
    late = cache.send(chain, 901, 901)
    assert (late.read, late.write, late.expired) == (0, 2_100, True)


def test_a_changed_message_costs_all_behind_it_but_not_the_pinned_part():
    cache, chain = Anthropic(), chain_of(U, A, U)
    cache.send(chain, 0, 0)
    chain.cut(0)
    chain.extend([Message("x", U, (Text("other"),))], [50])
    assert cache.send(chain, 1, 1) == Billed(2_000, 50, 0, 2_050)


def test_a_prefix_below_the_minimum_is_not_stored():
    cache, chain = Anthropic(minimum=4_096), chain_of(U)
    assert cache.send(chain, 0, 0) == Billed(0, 0, 2_100)
    add(chain, A, U, size=1_500)
    assert cache.send(chain, 1, 1) == Billed(0, 5_100, 0, 5_100)


def test_an_entry_more_than_twenty_blocks_back_is_not_found():
    cache, chain = Anthropic(), chain_of(U)
    cache.send(chain, 0, 0)
    add(chain, A, *["tool"] * 19)
    assert cache.send(chain, 1, 1).read == 2_100
    add(chain, A, *["tool"] * 20)
    # the mark before this batch still stands on the end of the last request
    assert cache.send(chain, 2, 2).read == 4_100
    add(chain, A, *["tool"] * 10, A, *["tool"] * 21)
    assert cache.send(chain, 3, 3).read == chain.ends[42]


def test_parallel_results_are_one_message_for_the_marks():
    cache, chain = Anthropic(), chain_of(U, A, "tool", "tool")
    cache.send(chain, 0, 0)
    chain.cut(1)
    assert cache.send(chain, 1, 1).read == 2_100


def test_without_a_cache_all_is_paid():
    assert Uncached().send(chain_of(U), 0, 0) == Billed(0, 0, 2_100)


def test_causes_in_their_order():
    ledger, chain = Ledger(Anthropic()), chain_of(U, A, U)
    first = ledger.send(chain, 0, 0, renders=False)
    assert (first.lost, first.cause) == (0, "")
    add(chain, A, U)
    assert ledger.send(chain, 10, 10, renders=False).cause == ""
    chain.cut(1)
    add(chain, A, U)
    ledger.since = "compaction:Prune"
    chain.cut(0)
    add(chain, U)
    chain.extend([Message("z", U, (Text("new"),))], [10])
    entry = ledger.send(chain, 20, 20, renders=False)
    assert (entry.lost, entry.cause) == (400, "compaction:Prune")
    ledger.since = "compaction:Prune"
    assert ledger.send(chain, 10_000, 10_000, renders=False).cause == "ttl"
    chain.cut(0)
    chain.extend([Message("y", U, (Text("masked"),))], [10])
    assert ledger.send(chain, 10_001, 10_001, renders=True).cause == "render"


def test_openai_reads_what_is_shared_in_whole_steps_and_pays_nothing_to_store():
    ledger, chain = Ledger(OpenAI()), chain_of(U)
    assert ledger.send(chain, 0, 0, renders=False).billed == Billed(0, 0, 2_100, 2_048)
    add(chain, A, U)
    entry = ledger.send(chain, 10, 10, renders=False)
    assert (entry.billed, entry.lost) == (Billed(2_048, 0, 252, 2_176), 0)
    chain.cut(1)
    add(chain, A)
    ledger.since = "compaction"
    entry = ledger.send(chain, 20, 20, renders=False)
    assert (entry.billed.read, entry.lost, entry.cause) == (2_048, 128, "compaction")
    entry = ledger.send(chain, 20 + 3_601, 20 + 3_601, renders=False)
    assert (entry.billed.read, entry.cause) == (0, "ttl")


def test_openai_steps_as_measured_on_bills():
    cache, chain = OpenAI(model="gpt-5.5"), chain_of(U, pinned=10_000)
    cache.send(chain, 0, 0)
    chain.sent = chain.same = 1
    assert cache.send(chain, 1, 1).read == 384 + 512 * ((10_100 - 384) // 512)
    assert OpenAI().send(chain_of(U, pinned=900), 0, 0).stored == 0
