"""nginx in the gateway's place: passes each request to the FCM stand-in, over TLS, and its answer back.

It reads no JSON, stores nothing and logs nothing. What it costs at a rate is what this machine takes for HTTP in, TLS
out and the wake-ups between, in a program whose one thread does everything.
"""

import os

from . import nginx, processes

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  {temporary_paths}
  keepalive_requests 1000000000;
  upstream fcm {{ server 127.0.0.1:{fcm}; keepalive 16; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass https://fcm/v1/projects/plain/; proxy_http_version 1.1; proxy_set_header Connection "";
    }}
  }}
}}
"""


class Relay:
    def __init__(self, bench):
        self.folder = os.path.join(bench.folder, "relay")
        os.makedirs(self.folder, exist_ok=True)
        self.port = processes.free_port()
        self._fcm = bench.stand_in.fcm
        self._process = None

    def __enter__(self):
        paths = nginx.TEMPORARY_PATHS.format(folder=self.folder)
        configuration = CONFIGURATION.format(
            folder=self.folder, temporary_paths=paths, port=self.port, fcm=self._fcm)
        self._process = nginx.start(self.folder, configuration, self.port)
        return self

    def __exit__(self, *_):
        processes.stop(self._process)

    @property
    def pid(self):
        return self._process.pid
