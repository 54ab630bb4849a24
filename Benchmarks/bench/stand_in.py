"""nginx: the constant answer that accepting is compared with, and the FCM stand-in that all senders share.

Like FCM, the stand-in uses TLS and HTTP/2 with 100 streams per connection. It reads each request to its end before it
answers; nginx's plain `return` does not.
"""

import os

from . import nginx, processes

MODULE = "/usr/lib/nginx/modules/ngx_http_echo_module.so"

CONFIGURATION = """
load_module {module};
daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  {temporary_paths}
  # The default closes a connection after 1,000 requests.
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_body_buffer_size 64k;
  http2_max_concurrent_streams 100;
  default_type application/json;
  split_clients $request_id $fcm_seconds {{ {delays} }}
  log_format arrivals escape=none '$msec $request_time $request_body';

  server {{
    listen 127.0.0.1:{constant} reuseport;
    location / {{ return 202 '{constant_body}'; }}
  }}
  server {{
    listen 127.0.0.1:{fcm} ssl http2 reuseport;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; ssl_session_cache shared:s:1m;
    # Like FCM; nginx 1.22 would use at most 1.2.
    ssl_protocols TLSv1.2 TLSv1.3;
    location / {{ echo_read_request_body; echo '{answer}'; }}
    location /v1/projects/slow/ {{ echo_read_request_body; echo_sleep 0.1; echo '{answer}'; }}
    location /v1/projects/varied/ {{
      access_log {folder}/arrivals.log arrivals;
      echo_read_request_body; echo_sleep $fcm_seconds; echo '{answer}';
    }}
    # For senders that need the answer's length.
    location /v1/projects/plain/ {{ return 200 '{answer}'; }}
    location /v1/projects/down/ {{ echo_read_request_body; echo_status 503; echo '{refusal}'; }}
  }}
}}
"""


class StandIn:
    """`constant` answers a plain 202. `fcm` answers like FCM: at once or, by project, after 100 ms or 100 to 300 ms."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "nginx")
        os.makedirs(self.folder, exist_ok=True)
        self.constant = processes.free_port()
        self.fcm = processes.free_port()
        self.certificate = os.path.join(self.folder, "cert.pem")
        self.process = None

    @property
    def endpoint(self):
        return f"https://127.0.0.1:{self.fcm}"

    @property
    def arrivals(self):
        return os.path.join(self.folder, "arrivals.log")

    def start(self):
        processes.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split()
            + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
            + ["-keyout", os.path.join(self.folder, "key.pem"), "-out", self.certificate],
            30,
        )
        # 100 to 300 ms in steps of 10.
        delays = [0.1 + 0.01 * step for step in range(21)]
        share = 100 / len(delays)
        configuration = CONFIGURATION.format(
            module=MODULE,
            folder=self.folder,
            temporary_paths=nginx.TEMPORARY_PATHS.format(folder=self.folder),
            constant=self.constant,
            fcm=self.fcm,
            constant_body='{"id":"01993a01-0000-7000-8000-000000000000","status":"queued"}',
            answer='{"name":"projects/p/messages/0:1500415314455276%31bd1c9631bd1c96"}',
            refusal='{"error":{"code":503,"status":"UNAVAILABLE","message":"down"}}',
            delays=" ".join(f"{share:.2f}% {delay:.2f};" for delay in delays[:-1]) + f" * {delays[-1]:.2f};",
        )
        self.process = nginx.start(self.folder, configuration, self.fcm)
        return self

    def stop(self):
        if self.process:
            processes.stop(self.process)
