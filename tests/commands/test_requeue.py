"""`scrapy requeue` puts pages in error back, and the next crawl asks for them alone."""

from tests.command_line import Project
from tests.commands.conftest import BOOK, GONE, crawl, one_listing
from tests.site_server import SiteServer


def test_pages_in_error_are_asked_for_again(project: Project, books_site: SiteServer) -> None:
    one_listing(books_site)
    books_site.override(f"/{BOOK}", 500)
    books_site.override(f"/{GONE}", 404)
    never = project.scrapy("requeue", "books")
    assert never.code == 2
    assert "scrapy crawl books" in never.err
    first = crawl(project, books_site)
    assert "2 error" in first.out, first
    books_site.restore(f"/{BOOK}")
    books_site.restore(f"/{GONE}")
    books_site.forget()

    wrong = project.scrapy("requeue", "books", "--reason", "weather")
    assert wrong.code == 2
    assert "gone, killer, link" in wrong.err
    some = project.scrapy("requeue", "books", "--reason", "network")
    assert some.code == 0
    assert some.out == ("books: 1 page (1 network) waits in crawl 1, which is open again\ngo on: scrapy crawl books\n")
    rest = project.scrapy("requeue", "books", "--errors")
    assert rest.out == "books: 1 page (1 gone) waits in crawl 1\ngo on: scrapy crawl books\n"

    second = crawl(project, books_site)
    assert "resuming crawl 1" in second.out
    assert "21 pages: 21 parsed" in second.out, second
    assert sorted(path for path in books_site.asked if path != "/robots.txt") == sorted([f"/{BOOK}", f"/{GONE}"])
    assert project.scrapy("requeue", "books").out == "books: no page to put back\n"
