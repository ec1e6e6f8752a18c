"""What goes wrong in an operator's hands: one line that says what to do, an exit code, and never a traceback."""

import ctypes
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from scrapy import cmdline

from scraper.store.schema import open_database
from tests.acceptance.tiny_site import FILES, add_site, thing, write_pages
from tests.command_line import Completed, environment
from tests.site_copy import CopiedProject, copy_project
from tests.site_server import SiteServer

QUICKLY = ("-s", "RETRY_TIMES=0", "-s", "QUEUE_MAX_ATTEMPTS=1", "-s", "LOG_LEVEL=ERROR")
CLOSED_PORT = "http://127.0.0.1:9/"


def only_line(ended: Completed, code: int) -> str:
    """The one line on standard error; nothing else was said, and the exit code is this."""
    assert "Traceback" not in ended.out + ended.err, ended
    assert ended.code == code, ended
    [line] = ended.err.splitlines()
    return line


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with a tiny site. Its tests add sites and change none."""
    folder = tmp_path_factory.mktemp("wrong")
    copied = CopiedProject(folder, "", home=copy_project(folder))
    add_site(copied)
    return copied.home


@pytest.fixture
def project(tmp_path: Path, fresh_sqlite: str, home: Path) -> CopiedProject:
    """The commands of that copy, with places of the test's own."""
    return CopiedProject(tmp_path, fresh_sqlite, home=home)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SiteServer]:
    """The tiny site on loopback, with twelve things."""
    with SiteServer(write_pages(tmp_path / "site", *(f"thing{number}" for number in range(12)))) as site:
        yield site


# --- the words ---


@pytest.fixture
def refused(
    fresh_sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """Runs a command in this process, which is quick, and gives the only line it wrote, after checking exit code 2."""
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "scraper.settings")
    handler = signal.getsignal(signal.SIGTERM)

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            cmdline.execute(["scrapy", *words, "-s", f"DATABASE_URL={fresh_sqlite}"])
        said = capsys.readouterr()
        assert (ended.value.code, said.out) == (2, "")
        [line] = said.err.splitlines()
        return line

    yield run
    signal.signal(signal.SIGTERM, handler)
    assert not (tmp_path / "scraper.sqlite").exists()


WRONG_WORDS = {
    "crawl nosuch": "no site 'nosuch' in spiders/; there are: books, demo_shop",
    "run nosuch": "no site 'nosuch'",
    "enrich nosuch": "no site 'nosuch'",
    "score nosuch": "no site 'nosuch'",
    "export nosuch": "no site 'nosuch'",
    "reparse nosuch": "no site 'nosuch'",
    "requeue nosuch": "no site 'nosuch'",
    "page nosuch 1": "no site 'nosuch'",
    "try nosuch book 1": "no site 'nosuch'",
    "try books nosuch 1": "books has no page type 'nosuch'; there are: listing, book",
    "export books --format nosuch": "no format 'nosuch' in exports/; there are: csv, jsonl, xlsx",
    "run books --format csv,nosuch": "no format 'nosuch'",
    "export books --format": "--format: expected one argument",
    "export books --format csv --option csv.nosuch=1": "format csv has no option 'nosuch'",
    "crawl books --nosuch": "unknown option --nosuch; see: scrapy crawl --help",
    "run": "it takes SITE; like: scrapy run books",
    "crawl books demo_shop": "it takes SITE; like: scrapy crawl books",
    "crawl books -a nosuch=1": "-a nosuch=…: unknown; there are: base=, only=, limit=",
    "crawl books -a only=parse": "use only=discover or only=fetch",
    "crawl books -a limit=some": "use a number of pages",
    "crawl books -a base=localhost": "use scheme, host and port alone, like base=http://127.0.0.1:8000/",
    "crawl books -a limit=1 -a limit=2": "-a limit=… is given 2 times; give it once",
    "run books -a only=fetch -a only=fetch": "-a only=… is given 2 times",
    "try books book 1 -a base=http://a/ -a base=http://b/": "-a base=… is given 2 times",
    "export books --out DIR": "unknown option --out; see: scrapy export --help",
    "run books --forc": "unknown option --forc",
    "crawl books -a limit": "Invalid -a value, use -a NAME=VALUE",
    "crawl books -s DOWNLOAD_DELAY": "Invalid -s value, use -s NAME=VALUE",
    "crawl books -L LOUD": "Unknown level: 'LOUD'; look at LOG_LEVEL",
    "crawl books --pidfile /no/such/folder": "/no/such/folder: No such file or directory; name another file",
    "requeue books --reason nosuch": "--reason nosuch: unknown; there are: ",
}


@pytest.mark.parametrize("words", WRONG_WORDS)
def test_wrong_words(words: str, refused: Callable[..., str]) -> None:
    line = refused(*words.split())
    assert line.startswith(f"scrapy {words.split()[0]}: ")
    assert WRONG_WORDS[words] in line


# --- the database ---

WRONG_URLS = {
    "mysql+pymysql://me:secret@127.0.0.1:9/x": (1, "is the server running, and is DATABASE_URL right?"),
    "mysql+pymysql://me@127.0.0.1:many/x": (2, "use sqlite:///FILE or mysql+pymysql://USER:PASSWORD@HOST/NAME"),
    "postgresql://me:secret@127.0.0.1/x": (2, "use sqlite:///FILE or mysql+pymysql://USER:PASSWORD@HOST/NAME"),
    "scraper.sqlite": (2, "use sqlite:///FILE or mysql+pymysql://USER:PASSWORD@HOST/NAME"),
    f"sqlite:///{__file__}": (1, "file is not a database: point DATABASE_URL to another file"),
    f"sqlite:///{__file__}/x": (1, "cannot be made (File exists); set DATABASE_URL elsewhere"),
}


@pytest.mark.parametrize(
    "url", WRONG_URLS, ids=["no server", "no port", "no such kind", "no url", "no database", "no folder"]
)
def test_a_database_that_is_none(url: str, project: CopiedProject) -> None:
    code, advice = WRONG_URLS[url]
    line = only_line(project.scrapy("crawl", "tiny", env={"DATABASE_URL": url}), code)
    assert advice in line
    assert "secret" not in line


def _newer(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE alembic_version SET version_num = '9999'")


def _foreign(connection: sqlite3.Connection) -> None:
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if not name.startswith("sqlite_"):
            connection.execute(f"DROP TABLE {name}")
    connection.execute("CREATE TABLE wp_posts (id)")


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (_newer, "its schema is newer than this code; update the code"),
        (_foreign, "it holds tables that are not ours (wp_posts); point DATABASE_URL to an empty database"),
    ],
)
def test_a_database_of_another(
    change: Callable[[sqlite3.Connection], None], advice: str, project: CopiedProject
) -> None:
    open_database(project.database_url).close()
    with sqlite3.connect(project.folder / "scraper.sqlite") as connection:
        change(connection)
        before = list(connection.iterdump())
    for words in (("run", "tiny"), ("migrate",)):
        line = only_line(project.scrapy(*words), 1)
        assert project.database_url in line
        assert advice.split("; ")[0] in line.replace("(9999) ", "")
    assert list(connection.iterdump()) == before
    connection.close()


def test_an_older_database_waits_for_migrate(tmp_path: Path, fresh_sqlite: str) -> None:
    project = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path))
    open_database(project.database_url).close()
    versions = project.home / "scraper" / "store" / "migrations" / "versions"
    newest = max(file.stem for file in versions.glob("0*.py"))[:4]
    (versions / "7777_later.py").write_text(
        f'"""Later."""\nfrom alembic import op\nrevision = "7777"\ndown_revision = "{newest}"\n\n\n'
        'def upgrade():\n    op.execute("CREATE TABLE later (id INTEGER)")\n',
        encoding="utf-8",
    )
    line = only_line(project.scrapy("enrich", "books"), 1)
    assert line.endswith("its schema is older than this code; run: scrapy migrate")
    ended = project.scrapy("migrate")
    assert (ended.code, ended.out) == (
        0,
        f"{project.database_url}: its schema was brought from {newest} to 7777\n",
    )
    assert project.scrapy("enrich", "books").code == 0


def bound_by_modes() -> None:
    """Root in a child process becomes subject to the modes of files, as everybody else is."""
    if os.geteuid() == 0:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if ctypes.CDLL(None).prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                os._exit(77)


def run(project: CopiedProject, *words: str, first: Callable[[], None]) -> Completed:
    """A command of the copy, in a process that does `first` before it."""
    done = subprocess.run(
        [sys.executable, "-m", "scraper", *words],
        cwd=project.home,
        env=environment(project.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=first,
    )
    if done.returncode == 77:
        pytest.skip("root may not give up its rights on this machine")
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_database_that_may_only_be_read(what: str, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    project = CopiedProject(tmp_path, f"sqlite:///{folder}/scraper.sqlite", home=home)
    open_database(project.database_url).close()
    target = folder / "scraper.sqlite" if what == "file" else folder
    target.chmod(0o444 if what == "file" else 0o555)
    try:
        line = only_line(run(project, "crawl", "tiny", first=bound_by_modes), 1)
    finally:
        folder.chmod(0o755)
    assert re.search(r"may this user write there\?$|give this user the right to write the file and its folder$", line)


# --- the disk ---


def no_file_over(size: int) -> Callable[[], None]:
    """For a child process the disk is full as soon as a file reaches this size."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_no_space_for_bodies_stops_the_crawl_and_costs_nothing(project: CopiedProject, server: SiteServer) -> None:
    noise = Random(7).randbytes(4_000_000).hex()  # not to be compressed below 4 MB
    server.override("/thing7", thing("thing7").replace(b"</body>", f"<!-- {noise} --></body>".encode()))
    words = ("crawl", "tiny", "-a", f"base={server.url}", "-s", "LOG_LEVEL=ERROR")
    ended = run(project, *words, first=no_file_over(3_000_000))
    line = only_line(ended, 1)
    assert f" ERROR: The run stops: {project.cache_dir}: a page cannot be written (File too large): make room" in line
    assert ended.out.splitlines()[-2].startswith(f"tiny: failed: {project.cache_dir}: a page cannot be written")
    assert ended.out.splitlines()[-1] == "go on: scrapy crawl tiny"

    # No row is lost, none is an error, and what was kept is not asked for again.
    statuses = statuses_of(project)
    assert statuses.keys() <= {"parsed", "pending"}
    assert sum(statuses.values()) == 13
    kept = {path for path, count in server.requests.items() if count == 1 and is_kept(project, server, path)}
    assert len(kept) == statuses["parsed"]
    ended = project.scrapy(*words)
    assert only_ended_well(ended) == "tiny: records seen: 12 thing"
    assert statuses_of(project) == {"parsed": 13}
    assert {path for path in kept if server.requests[path] > 1} == set()


def only_ended_well(ended: Completed) -> str:
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out.splitlines()[-1]


def is_kept(project: CopiedProject, server: SiteServer, path: str) -> bool:
    """Whether the page's row says it is parsed."""
    with sqlite3.connect(project.folder / "scraper.sqlite") as connection:
        found = connection.execute("SELECT status FROM urls WHERE url = ?", (f"https://tiny.example{path}",)).fetchone()
    connection.close()
    return found == ("parsed",)


def statuses_of(project: CopiedProject) -> dict[str, int]:
    with sqlite3.connect(project.folder / "scraper.sqlite") as connection:
        found = dict(connection.execute("SELECT status, count(*) FROM urls GROUP BY status").fetchall())
    connection.close()
    return found


def test_no_space_for_the_database(project: CopiedProject, server: SiteServer) -> None:
    open_database(project.database_url).close()
    words = ("crawl", "tiny", "-a", f"base={server.url}", "-s", "LOG_LEVEL=ERROR")
    ended = run(project, *words, first=no_file_over(120_000))  # the journal outgrows that after a few pages
    assert ended.code == 1, ended
    assert "Traceback" not in ended.out + ended.err
    assert {line.partition("sqlite:///")[2] for line in ended.err.splitlines()} == {
        f"{project.folder}/scraper.sqlite: disk I/O error: look at the disk and its free space"
    }
    assert only_ended_well(project.scrapy(*words)) == "tiny: records seen: 12 thing"
    assert statuses_of(project) == {"parsed": 13}


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own without a free byte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk, and not everywhere")
    try:
        with (folder / "filling").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096) == 4096:
                pass
    except OSError:
        pass  # it is full
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_no_space_at_all(full_disk: Path, project: CopiedProject) -> None:
    place = {"EXPORT_DIR": f"{full_disk}/exports"}
    line = only_line(project.scrapy("run", "tiny", "-a", f"base={CLOSED_PORT}", env=place), 1)
    assert f"{full_disk}/exports" in line
    assert "(No space left on device); make room or name another folder with --output" in line
    line = only_line(project.scrapy("enrich", "tiny", env={"DATABASE_URL": f"sqlite:///{full_disk}/x.sqlite"}), 1)
    assert re.search(r"make room on the disk|its free space|cannot be opened|may this user write there", line)


def test_an_export_folder_that_is_a_file_is_told_before_the_crawl(project: CopiedProject, server: SiteServer) -> None:
    place = {"EXPORT_DIR": str(project.folder / "site" / "index.html")}
    says = "index.html: cannot be written (File exists); make room or name another folder with --output"
    assert says in only_line(project.scrapy("run", "tiny", "-a", f"base={server.url}", env=place), 1)
    assert server.asked == []
    assert project.scrapy("crawl", "tiny", "-a", f"base={server.url}", "-s", "LOG_LEVEL=ERROR").code == 0
    assert says in only_line(project.scrapy("export", "tiny", env=place), 1)


# --- the project's files ---


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"# places\nDATABASE_URL sqlite:///secret\n", "line 2, 'DATABASE_URL' …: it is not NAME=value; mend the line"),
        (b"CACHE_DIR=\xff\xfe\n", "cannot be read ('utf-8' codec can't decode"),
    ],
)
def test_a_bad_dotenv(content: bytes, says: str, tmp_path: Path, fresh_sqlite: str) -> None:
    project = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path))
    (project.home / ".env").write_bytes(content)
    line = only_line(project.scrapy("crawl", "books"), 2)
    assert line.startswith(f"scrapy: {project.home}/.env")
    assert says in line
    assert "secret" not in line


BROKEN_SITES = {
    "syntax": ({"init": "SITE = (\n"}, "spiders/syntax/__init__.py, line 1: SyntaxError: '(' was never closed"),
    "no_card": ({"init": "CARD = 1\n"}, "spiders/no_card/__init__.py: it must set SITE = Site(...)"),
    "no_spider": ({"spider": "import scrapy\n"}, "spiders/no_spider/spider.py: it must define a Spider with name ="),
    "no_import": ({"thing": "import no_such\n"}, "spiders/no_import/parsers/thing.py, line 1: ModuleNotFoundError"),
    "no_parse": ({"thing": "PARSE = 1\n"}, "spiders/no_parse/parsers/thing.py: it must define parse(page)"),
    "no_parser": (
        {"init": FILES["__init__.py"].format(name="no_parser").replace("parsers.thing", "parsers.none")},
        "No module named 'spiders.no_parser.parsers.none'",
    ),
    "quits": ({"init": "raise SystemExit(0)\n"}, "spiders/quits/__init__.py, line 1: SystemExit: 0"),
    "no_number": (
        {"init": FILES["__init__.py"].format(name="no_number").replace("delay=0", "delay='fast'")},
        "no_number cannot be started: ValueError: could not convert string to float: 'fast'",
    ),
    "no_component": (
        {
            "spider": FILES["spider.py"].format(name="no_component")
            + '    custom_settings = {"ITEM_PIPELINES": {"no_such.Pipeline": 1}}\n'
        },
        "no_component cannot be started: ModuleNotFoundError: No module named 'no_such'; look at its spider",
    ),
}


@pytest.mark.parametrize("name", BROKEN_SITES)
def test_a_broken_site(name: str, project: CopiedProject) -> None:
    files, says = BROKEN_SITES[name]
    add_site(project, name, **files)
    line = only_line(project.scrapy("crawl", name, "-a", f"base={CLOSED_PORT}", "-s", "LOG_LEVEL=ERROR"), 1)
    assert line.startswith("scrapy crawl: ")
    assert says in line


def test_a_broken_site_hides_no_other(tmp_path: Path, fresh_sqlite: str, server: SiteServer) -> None:
    project = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path))
    add_site(project)
    for name, (files, _) in BROKEN_SITES.items():
        add_site(project, name, **files)
    listed = project.scrapy("list")
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.split() == sorted(["books", "demo_shop", "tiny", *BROKEN_SITES])
    crawled = project.scrapy("crawl", "tiny", "-a", f"base={server.url}", "-s", "LOG_LEVEL=WARNING")
    assert only_ended_well(crawled) == "tiny: records seen: 12 thing"


def test_a_stage_that_cannot_be_loaded_is_told_before_the_crawl(project: CopiedProject, server: SiteServer) -> None:
    add_site(project, "ill")
    (project.home / "spiders" / "ill" / "enrich.py").write_text("import no_such\n", encoding="utf-8")
    for words in (("run", "ill", "-a", f"base={server.url}"), ("enrich", "ill")):
        line = only_line(project.scrapy(*words), 1)
        assert "spiders/ill/enrich.py, line 1: ModuleNotFoundError: No module named 'no_such'" in line
    assert server.asked == []


def test_seeds_that_fail_stop_the_run(project: CopiedProject) -> None:
    spider = FILES["spider.py"].format(name="sour") + "\n    def seeds(self):\n        return 1 / 0\n"
    add_site(project, "sour", spider=spider)
    ended = project.scrapy("crawl", "sour", "-a", f"base={CLOSED_PORT}", "-s", "LOG_LEVEL=ERROR")
    line = only_line(ended, 1)
    says = "the seeds cannot be read: spiders/sour/spider.py, line 10: ZeroDivisionError: division by zero; mend the"
    assert f" ERROR: The run stops: {says}" in line
    assert f"sour: failed: {says}" in ended.out


def test_a_link_of_an_unknown_page_type_is_an_error_of_its_page(project: CopiedProject, server: SiteServer) -> None:
    listing = FILES["parsers/listing.py"].format(name="astray").replace('Link(url, "thing")', 'Link(url, "none")')
    add_site(project, "astray", listing=listing)
    ended = project.scrapy("crawl", "astray", "-a", f"base={server.url}", "-s", "LOG_LEVEL=WARNING")
    line = only_line(ended, 1)
    assert "spiders/astray: no page type 'none' in the site card (it has listing, thing); see: scrapy page" in line


# --- the network ---


def test_a_base_nobody_answers_for(project: CopiedProject) -> None:
    ended = project.scrapy("crawl", "tiny", "-a", f"base={CLOSED_PORT}", *QUICKLY[:-1], "LOG_LEVEL=WARNING")
    assert ended.code == 1
    assert "Traceback" not in ended.out + ended.err
    lines = ended.err.splitlines()
    assert len(lines) == 4, lines  # robots.txt and the page: that it is given up, and what that means
    assert all("Connection was refused" in line for line in lines)
    assert "robots.txt cannot be had, so all is allowed: " in lines[1]
    assert "error fetch/network: DownloadConnectionRefusedError: " in lines[3]
    assert ended.out.splitlines()[-1] == "once it is well again: scrapy requeue tiny and then scrapy crawl tiny"
    assert project.scrapy("requeue", "tiny").out.startswith("tiny: 1 page")


def test_a_server_that_goes_away_in_the_middle(project: CopiedProject, server: SiteServer) -> None:
    server.delay = 0.1
    words = ("crawl", "tiny", "-a", f"base={server.url}", *QUICKLY, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    crawl = project.start(*words)
    while len(server.asked) < 5:
        assert crawl.poll() is None, crawl.communicate()
        time.sleep(0.02)
    server.stop()
    said, _ = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, said  # the listing is in; the pages that failed are errors, each with its reason
    assert "Traceback" not in said
    statuses = statuses_of(project)
    assert statuses.keys() == {"parsed", "error"}
    assert sum(statuses.values()) == 13
    server.start()
    requeued = project.scrapy("requeue", "tiny", "--reason", "network")
    assert f"{statuses['error']} pages" in requeued.out
    assert only_ended_well(project.scrapy(*words)) == "tiny: records seen: 12 thing"
