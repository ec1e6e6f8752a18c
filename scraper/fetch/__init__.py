"""The fetch room: requests go out to the network, whole answers come in and their bodies are kept.

Takes Scrapy requests and gives Scrapy responses or a known exception; keeps bodies by content hash. Holds the hooks
(downloader, handler, middlewares) apart from the rule (`unpack`) and the storage (`body_store`).
May import errors, models, origin, sites, the queue's values and the store; only the hooks import Scrapy.
"""
