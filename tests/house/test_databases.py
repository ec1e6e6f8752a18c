"""The two databases that tests are run on."""

from sqlalchemy import create_engine, inspect, text

from tests.command_line import Project


def test_each_test_gets_an_empty_database(database_url: str) -> None:
    engine = create_engine(database_url)
    try:
        with engine.begin() as connection:
            assert inspect(connection).get_table_names() == []
            connection.execute(text("CREATE TABLE left_behind (id INTEGER)"))
    finally:
        engine.dispose()


def test_the_next_one_too(database_url: str) -> None:
    test_each_test_gets_an_empty_database(database_url)


def test_commands_get_private_places(project: Project) -> None:
    for name, place in project.env.items():
        assert str(project.folder) in place, name
