"""The wiring: every Scrapy component in running order, and the only reader of the environment.

What wins is a table in docs/settings.md: -s, a spider's custom_settings, the site card, the environment, .env, this.
"""

import os
from pathlib import Path

from scraper.environment import read_dotenv, rooted

PROJECT_DIR = Path(__file__).resolve().parent.parent
_env = {**read_dotenv(PROJECT_DIR / ".env"), **{name: value for name, value in os.environ.items() if value}}

BOT_NAME = "scraper"
SPIDER_MODULES = ["spiders"]
SPIDER_LOADER_CLASS = "scraper.site_loader.SiteLoader"
COMMANDS_MODULE = "scraper.commands"

# Where things are kept
DATABASE_URL = rooted(_env.get("DATABASE_URL") or "sqlite:///var/scraper.sqlite", PROJECT_DIR)
CACHE_DIR = str(PROJECT_DIR / (_env.get("CACHE_DIR") or "var/cache"))
EXPORT_DIR = str(PROJECT_DIR / (_env.get("EXPORT_DIR") or "var/exports"))

# Manners: 5 to 7 seconds between two requests to a host
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 6
DOWNLOAD_DELAY_JITTER = 1 / 6
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 8
USER_AGENT = "scraper/0.1"

# Network: a body that is cut is a failure, never a page
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_FAIL_ON_DATALOSS = True
DOWNLOAD_MAXSIZE = 64 * 1024 * 1024
RETRY_TIMES = 2
URLLENGTH_LIMIT = 8192  # Scrapy's 2083 drops longer addresses without a row
COOKIES_ENABLED = True
HTTPPROXY_ENABLED = False  # it silently obeys http_proxy of the environment

# The queue
CONCURRENT_ITEMS = 4  # Scrapy starts so many tasks per response; 100 cost 2 ms of CPU a page
QUEUE_MAX_ATTEMPTS = 3  # claims, each with RETRY_TIMES in the process
QUEUE_BACKOFF = 30.0  # seconds before the second claim, doubled for each further one
QUEUE_MAX_WAIT = 600.0  # seconds a run waits for rows put off before it ends as `waiting`
QUEUE_BEAT = 15.0  # seconds between two heartbeats
QUEUE_LEASE = 300.0  # seconds without a heartbeat after which a run is dead

SPIDER_MIDDLEWARES = {"scraper.queue.middleware.QueueMiddleware": 10}  # below 25: outermost on the engine's side
DOWNLOADER = "scraper.fetch.downloader.Downloader"
DOWNLOAD_HANDLERS = {
    "http": "scraper.fetch.origin_handler.OriginHandler",
    "https": "scraper.fetch.origin_handler.OriginHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scraper.fetch.robots_middleware.RobotsMiddleware": 100,  # in its place
    "scraper.fetch.cache_middleware.CacheMiddleware": 545,  # answers pass Retry (550) and Redirect (600) first
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scraper.fetch.whole_body.WholeBodyMiddleware": 590,
}
EXTENSIONS = {
    "scraper.monitor.one_line_log.OneLineLog": 0,
    "scraper.monitor.crawl_bar.CrawlBar": 500,
}
ITEM_PIPELINES = {"scraper.validate.pipeline.ValidatePipeline": 100}

# Nobody is let into the process, and nothing is announced
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
HTTPCACHE_ENABLED = False

LOG_LEVEL = "INFO"
LOG_FORMATTER = "scraper.monitor.log_formatter.LogFormatter"
