"""The small shop that ships with the project, served on loopback, so that the whole way can be seen without a network.

Takes a free port; gives pages, and a run of the main job over them under `var/demo/`. May import scraper.settings and
starts commands as a user would; the engine knows nothing of it.
"""
