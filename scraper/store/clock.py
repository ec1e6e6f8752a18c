"""Microseconds since 1970 UTC inside the store, aware datetimes outside of it."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_datetime(micros: int) -> datetime:
    """An aware datetime in UTC, exact to the microsecond."""
    return _EPOCH + micros * _MICROSECOND


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime; raises ValueError for a naive one."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone")
    return (moment - _EPOCH) // _MICROSECOND


def micros_of(span: timedelta) -> int:
    """A span in microseconds."""
    return span // _MICROSECOND


def iso(micros: int) -> str:
    """A time as people and files read it: `2026-12-01T06:45:00.250000Z`."""
    return to_datetime(micros).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
