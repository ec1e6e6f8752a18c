"""Runs: who is dead, who only looks it, and what becomes of what they held."""

import subprocess
import sys

import pytest
from sqlalchemy import update

from scraper.queue.recovery import Observer, recover
from scraper.store import runs
from scraper.store.process import Process, is_gone, started_at, this_machine, this_process
from scraper.store.tables import runs as table
from scraper.store.tables import urls
from tests.store.scene import Scene, url_of


@pytest.fixture
def scene(database_url: str) -> Scene:
    return Scene(database_url)


def test_a_process_is_told_from_a_later_one_with_its_pid() -> None:
    me = this_process()
    assert not is_gone(me)
    assert is_gone(Process(me.machine, me.pid, me.started - 1))
    assert not is_gone(Process("elsewhere|boot|ns", me.pid, me.started - 1))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    other = Process(this_machine(), child.pid, started_at(child.pid) or 0)
    assert not is_gone(other)
    child.kill()
    child.wait()
    assert is_gone(other)
    assert child.stdin is not None
    child.stdin.close()


def foreign(scene: Scene, run_id: int, beat_at: int) -> None:
    """Make the run one of another machine that beat last at that time."""
    with scene.database.write() as connection:
        connection.execute(update(table).where(table.c.id == run_id).values(machine="elsewhere|1|2", beat_at=beat_at))


def look(scene: Scene, observer: Observer) -> list[int]:
    with scene.database.write() as connection:
        return [run.id for run, _ in recover(scene.database, connection, observer, scene.site_id, None).lost]


def test_a_silent_run_elsewhere_is_watched_before_it_is_lost(scene: Scene) -> None:
    scene.put(url_of("a"))
    scene.claim()
    observer = Observer(lease=300, beat=0)
    foreign(scene, scene.run_id, beat_at=1)
    assert look(scene, observer) == []
    assert scene.rows(urls)[0]["status"] == "in_progress"
    assert look(scene, observer) == [scene.run_id]
    assert scene.rows(urls)[0]["status"] == "pending"
    (run,) = scene.rows(table)
    assert (run["state"], run["outcome"]) == ("lost", "lost")


def test_a_run_that_beats_meanwhile_lives(scene: Scene) -> None:
    observer = Observer(lease=300, beat=0)
    foreign(scene, scene.run_id, beat_at=1)
    look(scene, observer)
    with scene.database.write() as connection:
        assert runs.beat(scene.database, connection, scene.run_id)
    assert look(scene, observer) == []
    with scene.database.write() as connection:
        (seen,) = runs.live_runs(connection)
        runs.beat(scene.database, connection, scene.run_id)
        assert not runs.declare_lost(scene.database, connection, seen, "too late")


def test_a_young_silence_is_no_death(scene: Scene) -> None:
    with scene.database.read() as connection:
        now = scene.database.now(connection)
    foreign(scene, scene.run_id, beat_at=now)
    observer = Observer(lease=300, beat=0)
    look(scene, observer)
    assert look(scene, observer) == []


def test_the_dead_neither_beat_nor_end(scene: Scene) -> None:
    with scene.database.write() as connection:
        (me,) = runs.live_runs(connection)
        assert runs.declare_lost(scene.database, connection, me, "test")
        assert not runs.beat(scene.database, connection, scene.run_id)
        assert not runs.end(scene.database, connection, scene.run_id, "finished", None, None)
    assert scene.rows(table)[0]["outcome"] == "lost"
