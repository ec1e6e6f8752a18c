"""Selectors count what they find, name what they miss, and keep text whole."""

import gc
import weakref
from collections import Counter

import pytest

from scraper.errors import SelectorMiss
from scraper.fields import CleanText, WholeNumber
from scraper.models import Page, Record, Refused, parsing
from scraper.parse.select import each, many, maybe, one, read, read_record


class Card(Record):
    key = ("name",)

    name: CleanText
    price: WholeNumber


CARD = {"name": one(css="h3"), "price": one(css="b::text", xpath=".//i/text()")}


def page(html: str) -> Page:
    return Page(url="https://shop.example/list", body=html.encode())


def test_one_maybe_many() -> None:
    shop = page("<h1>Tea</h1><li>a<li>b")
    found = read(shop, {"name": one(css="h1::text"), "old": maybe(css=".old"), "all": many(css="li::text")})
    assert found == {"name": "Tea", "old": None, "all": ["a", "b"]}


def test_the_layer_that_matched_is_counted() -> None:
    shop = page("<h1>Tea</h1><p class=n>7 left</p>")
    selectors = {
        "name": one(css=".title", xpath="//h1"),
        "left": one(css=".n", regex=r"(\d+) left"),
        "size": one(css=".size") | one(css=".n"),
        "tag": maybe(css="i"),
    }
    read(shop, selectors)
    read(shop, selectors)
    assert shop.matched == Counter({"name/xpath": 2, "left/css": 2, "size/css2": 2})


def test_a_blank_hit_does_not_block_the_next_layer() -> None:
    shop = page('<span class=p> \u00a0</span><script>{"price":7}</script>')
    assert read(shop, {"price": one(css="span.p::text") | one(regex=r'"price":(\d+)')}) == {"price": "7"}
    assert shop.matched == Counter({"price/regex": 1})


def test_a_regex_beside_css_cuts_and_never_reads_the_page() -> None:
    shop = page("<p class=stock>sold out</p><p>3 left</p>")
    assert read(shop, {"stock": maybe(css=".stock", regex=r"(\d+) left")}) == {"stock": None}
    assert read(shop, {"stock": maybe(regex=r"(\d+) left")}) == {"stock": "3"}


def test_a_regex_without_a_group_keeps_all_it_matches() -> None:
    assert read(page("<a href='/p/12?x=1'>"), {"id": one(css="a::attr(href)", regex=r"\d+(?=\?)")}) == {"id": "12"}


def test_a_miss_names_itself_what_it_wanted_and_what_it_found() -> None:
    shop = page("<p>a<p>b<p>c<p>d")
    with pytest.raises(SelectorMiss) as miss:
        read(
            shop,
            {
                "price": one(css=".product_main .price_color::text", xpath="//b", regex=r"\d+"),
                "name": one(css="p::text"),
                "note": maybe(css="p"),
                "tags": many(css=".tag"),
            },
        )
    assert miss.value.reasons == (
        ("price", r"wanted one, found 0 (css .product_main .price_color::text regex \d+; xpath //b regex \d+)"),
        ("name", "wanted one, found 4: 'a', 'b', 'c', ... (css p::text)"),
        ("note", "wanted one or none, found 4: 'a', 'b', 'c', ... (css p)"),
        ("tags", "wanted 1 or more, found 0 (css .tag)"),
    )
    assert str(miss.value).startswith("price: wanted one, found 0 (css")
    assert "; name: wanted one" in str(miss.value)
    assert "\n" not in str(miss.value)


def test_many_may_be_none_when_it_says_so() -> None:
    assert read(page("<p>x"), {"tags": many(css=".tag", least=0)}) == {"tags": []}


def test_an_empty_cell_stays_in_its_place() -> None:
    shop = page("<table><tr><td>000-643</td><td>IBM</td><td></td><td>45</td></tr></table>")
    assert read(shop, {"row": many(css="td")})["row"] == ["000-643", "IBM", "", "45"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1 class=n>Wireless <b>Logi</b> Mouse<br>M325<sup>1</sup></h1>", "Wireless Logi Mouse M325"),
        ("<h1 class=n>Mouse<sup><a href='#f'>[1]</a></sup></h1>", "Mouse"),
        ("<h1 class=n>19<sup>99</sup></h1>", "19 99"),
        ("<h1 class=n><a>Mouse</a>, black <i>!</i></h1>", "Mouse, black!"),
        ("<h1 class=n>a\n <!-- c --> b<script>var x</script><style>p{}</style></h1>", "a b"),
        ("<div class=n><p>Hello.</p><p>World</p></div>", "Hello. World"),
        ('<script class=n>{"a": 1}</script>', '{"a": 1}'),
        ("<i class=n>x<br>y</i>", "x y"),
    ],
)
def test_an_element_gives_its_whole_text(html: str, text: str) -> None:
    assert read(page(html), {"n": one(css=".n")}) == {"n": text}


def test_single_text_nodes_are_for_who_asks_for_them() -> None:
    shop = page("<h1 class=n>Wireless <b>Logi</b> Mouse</h1>")
    assert read(shop, {"n": many(css=".n::text")}) == {"n": ["Wireless", "Mouse"]}
    with pytest.raises(SelectorMiss, match="found 2: 'Wireless', 'Mouse'"):
        read(shop, {"n": one(css=".n::text")})


def test_an_xpath_function_is_a_value() -> None:
    assert read(page("<p>a<p>b"), {"n": one(xpath="string(//p[2])")}) == {"n": "b"}


def test_each_gives_the_cards_of_a_listing() -> None:
    shop = page("<article><h3>A</h3><b>1</b></article><article><h3>B</h3><i>2</i></article>")
    with parsing(shop):
        cards = [read(card, CARD) for card in each(shop, css="article")]
    assert cards == [{"name": "A", "price": "1"}, {"name": "B", "price": "2"}]
    assert shop.matched == Counter({"name/css": 2, "price/css": 1, "price/xpath": 1})
    assert len(each(shop, css=".none", xpath="//article")) == 2


def test_each_without_a_card_is_a_miss() -> None:
    with pytest.raises(SelectorMiss, match=r"each: wanted 1 or more, found 0 \(css article\)"):
        each(page("<p>"), css="article")
    assert each(page("<p>"), css="article", least=0) == []


def test_a_card_reads_its_own_source() -> None:
    shop = page("<p data-x=1>a</p><p data-x=2>b</p>")
    assert [read(card, {"x": one(regex=r'data-x="(\d)"')})["x"] for card in each(shop, css="p")] == ["1", "2"]


@pytest.mark.parametrize("xpath", ["//b", "(//b)[1]", "/html"])
def test_a_card_refuses_an_xpath_that_reads_the_whole_page(xpath: str) -> None:
    card = each(page("<p><b>a</b></p>"), css="p")[0]
    with pytest.raises(ValueError, match="reads the whole page"):
        read(card, {"b": one(xpath=xpath)})
    with pytest.raises(ValueError, match="reads the whole page"):
        each(card, xpath=xpath)


def test_a_bad_card_hides_no_neighbour() -> None:
    shop = page(
        "<article><h3>A</h3><b>1</b></article><article><h3>B</h3></article><article><h3>C</h3><b>3</b></article>"
    )
    with parsing(shop):
        first, second, third = (read_record(Card, card, CARD) for card in each(shop, css="article"))
    assert (first.name, third.name) == ("A", "C")
    assert isinstance(second, Refused)
    assert second.reasons == (("price", "wanted one, found 0 (css b::text; xpath .//i/text())"),)
    with pytest.raises(SelectorMiss):
        read_record(Card, each(shop, css="article")[1], CARD)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "needs css, xpath or regex"),
        ({"css": "p:nth-child("}, r"css 'p:nth-child\('"),
        ({"css": "p::nothing"}, "pseudo-element"),
        ({"xpath": "//["}, "XPath error"),
        ({"xpath": "nothing()"}, "XPath error"),
        ({"regex": "(a)(b)"}, "2 groups"),
    ],
)
def test_a_wrong_expression_fails_where_it_is_written(wrong: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        one(**wrong)


def test_layers_of_different_numbers_do_not_join() -> None:
    with pytest.raises(ValueError, match=r"one \| one or none"):
        one(css="a") | maybe(css="b")


def test_nul_does_not_end_the_page() -> None:
    shop = Page(
        url="https://shop.example/",
        body=bytes.fromhex("3c68313e543c2f68313e003c7020636c6173733d70726963653e31393c2f703e"),
    )
    assert read(shop, {"price": one(css=".price")}) == {"price": "19"}


def test_values_do_not_keep_the_tree_alive() -> None:
    shop = page("<p title=t>a</p>")
    found = read(shop, {"a": one(css="p::text"), "t": one(xpath="//@title"), "n": many(css="p")})
    tree = weakref.ref(shop.tree)
    del shop
    gc.collect()
    assert tree() is None
    assert [type(value) for value in (found["a"], found["t"], found["n"][0])] == [str, str, str]
