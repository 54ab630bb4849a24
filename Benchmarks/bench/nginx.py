"""Runs nginx with a configuration and a folder of its own."""

import os

from . import processes

# Where nginx keeps what does not fit in memory; by default, only root may write there.
TEMPORARY_PATHS = """\
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;"""


def start(folder, configuration, port):
    """Starts nginx and waits until it listens on `port`. Returns the process."""
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w") as file:
        file.write(configuration)
    environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin")
    process = processes.start(["nginx", "-p", folder, "-c", path], os.path.join(folder, "output.log"), env=environment)
    processes.wait_until(lambda: processes.is_open(port), 10, "nginx's start")
    return process
