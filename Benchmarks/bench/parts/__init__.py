"""The parts of the benchmark, by name and in the order in which they run."""

from . import accept, apps, backlog, catalog, console, cost, idle, in_process, languages, latency, postgres, releases, reload, streams, through

ALL = {
    "accept": accept.run,
    "through": through.run,
    "languages": languages.run,
    "streams": streams.run,
    "postgres": postgres.run,
    "cost": cost.run,
    "latency": latency.run,
    "backlog": backlog.run,
    "idle": idle.run,
    "apps": apps.run,
    "catalog": catalog.run,
    "releases": releases.run,
    "reload": reload.run,
    "console": console.run,
    "parts": in_process.run,
}
