"""Named moments at which a test may kill the process, to show that nothing is lost or doubled there."""

import os
import signal


def cut_point(name: str) -> None:
    """Die here by SIGKILL when the environment says SCRAPER_CUT_POINT=`name`; else nothing."""
    if os.environ.get("SCRAPER_CUT_POINT") == name:
        os.kill(os.getpid(), signal.SIGKILL)
