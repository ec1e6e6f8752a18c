"""The writer thread: groups, one poisonous job among good ones, and a death that leaves nobody waiting."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from scraper.errors import DatabaseProblem
from scraper.store.schema import open_database
from scraper.store.writer import Group, Writer


def test_neighbours_share_a_transaction_and_order_is_kept(tmp_path: Path) -> None:
    sizes: list[int] = []

    def commit(jobs: Sequence[int]) -> list[int]:
        sizes.append(len(jobs))
        return [job * 2 for job in jobs]

    async def main() -> list[int]:
        writer = Writer(asyncio.get_running_loop(), open_database(f"sqlite:///{tmp_path}/a.sqlite"))
        writer.start()
        group: Group[int, int] = Group("double", commit)
        answers = await asyncio.gather(*(writer.submit(group, number) for number in range(100)))
        writer.stop()
        await asyncio.to_thread(writer.join)
        return answers

    assert asyncio.run(main()) == [number * 2 for number in range(100)]
    assert len(sizes) < 20


def test_poison_costs_only_its_own_job(tmp_path: Path) -> None:
    def commit(jobs: Sequence[int]) -> list[int]:
        if 7 in jobs:
            raise ValueError("the database refuses 7")
        return list(jobs)

    async def main() -> list[object]:
        writer = Writer(asyncio.get_running_loop(), open_database(f"sqlite:///{tmp_path}/a.sqlite"))
        writer.start()
        group: Group[int, int] = Group("picky", commit)
        waiting = [writer.submit(group, number) for number in range(10)]
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        writer.stop()
        return answers

    answers = asyncio.run(main())
    assert [answer for answer in answers if isinstance(answer, int)] == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert isinstance(answers[7], ValueError)


def test_a_dead_writer_fails_every_waiter_now_and_later(tmp_path: Path) -> None:
    def commit(jobs: Sequence[int]) -> list[int]:
        raise DatabaseProblem("disk full: make room")

    async def main() -> list[object]:
        writer = Writer(asyncio.get_running_loop(), open_database(f"sqlite:///{tmp_path}/a.sqlite"))
        writer.start()
        group: Group[int, int] = Group("doomed", commit)
        first = await asyncio.gather(writer.submit(group, 1), writer.submit(group, 2), return_exceptions=True)
        await asyncio.to_thread(writer.join)
        return [*first, *await asyncio.gather(writer.submit(group, 3), return_exceptions=True)]

    assert [str(answer) for answer in asyncio.run(main())] == ["disk full: make room"] * 3


def test_calls_have_transactions_of_their_own(tmp_path: Path) -> None:
    async def main() -> object:
        writer = Writer(asyncio.get_running_loop(), open_database(f"sqlite:///{tmp_path}/a.sqlite"))
        writer.start()
        made = writer.call(lambda connection: connection.execute(text("INSERT INTO sites(name) VALUES('a')")).rowcount)
        bad = writer.call(lambda connection: connection.execute(text("INSERT INTO sites(name) VALUES('a')")).rowcount)
        count = writer.call(lambda connection: connection.execute(text("SELECT COUNT(*) FROM sites")).scalar())
        answers = await asyncio.gather(made, bad, count, return_exceptions=True)
        writer.stop()
        return answers[0], type(answers[1]).__name__, answers[2]

    assert asyncio.run(main()) == (1, "IntegrityError", 1)


@pytest.mark.parametrize("size", [1, 200])
def test_what_was_submitted_before_the_stop_is_written(tmp_path: Path, size: int) -> None:
    async def main() -> int:
        writer = Writer(asyncio.get_running_loop(), open_database(f"sqlite:///{tmp_path}/a.sqlite"))
        writer.start()
        group: Group[int, int] = Group("echo", lambda jobs: list(jobs))
        waiting = [writer.submit(group, number) for number in range(size)]
        writer.stop()
        return sum(await asyncio.gather(*waiting))

    assert asyncio.run(main()) == sum(range(size))
