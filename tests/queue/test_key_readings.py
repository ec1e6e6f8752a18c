"""What a word can mean as a record's key."""

from scraper.queue.key_readings import MOST, readings


def test_a_text_is_itself() -> None:
    assert readings("a897") == [["a897"]]


def test_a_number_is_a_text_or_a_number() -> None:
    assert readings("12") == [["12"], [12]]
    assert readings("1.50") == [["1.50"]]  # decimals are stored as texts
    assert readings("true") == [["true"], [True]]


def test_commas_part_fields_or_belong_to_one() -> None:
    assert readings("GB,7") == [["GB,7"], ["GB", "7"], ["GB", 7]]
    assert ["a,b", "c"] in readings("a,b,c")
    assert ["a", "b,c"] in readings("a,b,c")
    assert ["a", "b", "c"] in readings("a,b,c")


def test_a_long_list_ends() -> None:
    assert len(readings(",".join("1" * 40))) == MOST
