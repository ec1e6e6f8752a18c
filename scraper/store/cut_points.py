"""Named moments at which a test may kill the process, to show that nothing is lost or doubled there."""

import os
import signal
from itertools import count

_passed = count(1)


def cut_point(name: str) -> None:
    """Die here when the environment says SCRAPER_CUT_POINT=`name`, or at the third time with `name#3`.

    By SIGKILL, or by the signal that SCRAPER_CUT_SIGNAL names, which the process may answer in its own way.
    """
    wanted, _, time = os.environ.get("SCRAPER_CUT_POINT", "").partition("#")
    if wanted == name and next(_passed) == int(time or 1):
        os.kill(os.getpid(), signal.Signals[os.environ.get("SCRAPER_CUT_SIGNAL") or "SIGKILL"])
