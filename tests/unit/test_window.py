"""What a window offers to strategies."""

from bench.trace import Image, Message, Reasoning, Record, Text, ToolCall, groups, turns


def test_groups_hold_calls_and_results_together(talk):
    assert [len(group.messages) for group in groups(talk("ucacua"))] == [1, 2, 1, 2, 1, 1]


def test_an_orphan_result_is_a_group_of_its_own():
    orphan = Message("t", "tool", (Text("out"),), answers="gone")
    user = Message("u", "user", (Text("hi"),))
    assert [len(group.messages) for group in groups([orphan, user, orphan])] == [1, 1, 1]


def test_turns_start_at_what_a_person_wrote(talk):
    messages = talk("aucauc")
    injected = Message("i", "user", (Text("reminder"),), injected=True)
    assert [len(turn.messages) for turn in turns([*messages, injected])] == [1, 4, 4]


def test_last_fits_whole_groups_and_gives_at_least_one(talk, make_window):
    window = make_window(talk("ucc"))
    size = window.tokens(window.groups[-1].messages)
    assert window.last(size) == window.groups[-1:]
    assert window.last(2 * size - 1) == window.groups[-1:]
    assert window.last(0) == window.groups[-1:]
    assert window.last(10**6) == window.groups


def test_opened_puts_the_task_in_front_or_a_note(talk, make_window):
    messages = talk("uccc")
    window = make_window(messages)
    assert window.opened(window.groups[2:])[0] is messages[0]
    assert window.opened(window.groups) == tuple(messages)
    assert make_window(talk("cc")).opened(groups(talk("cc"))[1:])[0].role == "user"
    huge = make_window(messages, limit=50)
    assert huge.opened(huge.groups[2:])[0].id.startswith("note")


def test_replace_keeps_what_is_not_named(make_window):
    call = ToolCall("c", "read", "{}")
    old = Message("m", "assistant", (Reasoning("why", "sig"), Text("a"), call, Text("b")))
    window = make_window([old])
    new = window.replace(old, text="short")
    assert new.id == "m"
    assert new.parts == (Reasoning("why", "sig"), Text("short"), call)
    assert window.replace(old, calls=()).calls == ()
    assert window.replace(old, reasoning=()).parts[0] == Text("a")
    assert window.replace(old, images=[Image("x")]).parts[0] == Image("x")
    assert window.replace(old, text="short") is new


def test_copy_keeps_role_and_provenance(talk, make_window):
    messages = talk("u")
    copied = make_window(messages).copy(messages[0])
    assert copied.origin == messages[0].id != copied.id
    assert copied.same(messages[0])


def test_after_keeps_the_size_up_to_date(talk, make_window):
    window = make_window(talk("uccc"), pinned=100)
    after = window.after(window.messages[:3], rung="cut")
    assert after.used == 100 + window.tokens(window.messages[:3])
    assert window.services.stages == [("cut", window.used, after.used)]


def test_a_record_does_not_grow_with_its_list(talk):
    messages = talk("uca")
    record = Record(messages)
    messages.append(messages[0])
    assert len(record) == 4
    assert record[-1] is messages[3]
    assert record[1:] == tuple(messages[1:4])
