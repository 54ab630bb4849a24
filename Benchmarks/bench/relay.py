"""nginx in the gateway's place: passes each request to the FCM stand-in, over TLS, and its answer back.

It reads no JSON, stores nothing and logs nothing. What it costs at a rate is what this machine takes for HTTP in, TLS
out and the wake-ups between, in a program whose one thread does everything.
"""

import os

from . import processes

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
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
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(folder=self.folder, port=self.port, fcm=self._fcm))
        environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin")
        command = ["nginx", "-p", self.folder, "-c", configuration]
        self._process = processes.start(command, os.path.join(self.folder, "output.log"), env=environment)
        processes.wait_until(lambda: processes.is_open(self.port), 10, "the relay's start")
        return self

    def __exit__(self, *_):
        processes.stop(self._process)

    @property
    def pid(self):
        return self._process.pid
