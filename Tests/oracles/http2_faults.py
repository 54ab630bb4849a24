"""Faulty HTTP/2 peers over TLS, each with a different fault: http2_faults.py FOLDER

Requires h2 and trustme from PyPI. Writes FOLDER/ca.pem, prints `NAME PORT` for each peer and then `ready`, and serves
until its standard input ends. `GET /seen` over HTTP/2 at the port of `control` returns what each peer has received:
{"NAME": {"connections": n, "requests": ["BODY", …]}}. A request counts once its body has been read completely.
"""

import asyncio
import collections
import gzip
import json
import pathlib
import socket
import ssl
import struct
import sys
import warnings

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import trustme

SUCCESS = b'{"name":"projects/p/messages/1"}'
MAX_STREAMS = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS
WINDOW = h2.settings.SettingCodes.INITIAL_WINDOW_SIZE


class Seen:
    def __init__(self):
        self.connections = 0
        self.requests = []


SEEN = collections.defaultdict(Seen)


class Peer:
    """One connection of a healthy peer. A faulty peer overrides methods; `number` counts its connections from 1."""

    settings = {MAX_STREAMS: 100}

    def __init__(self, name, reader, writer):
        self.name = name
        self.reader = reader
        self.writer = writer
        SEEN[name].connections += 1
        self.number = SEEN[name].connections
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, validate_inbound_headers=False))
        self.bodies = collections.defaultdict(bytes)
        self.tasks = set()

    async def serve(self):
        try:
            await self.begin()
            while data := await self.reader.read(65536):
                for event in self.h2.receive_data(data):
                    await self.take(event)
                await self.flush()
        except (ConnectionError, ssl.SSLError, h2.exceptions.ProtocolError):
            pass  # The client may close the connection; often the test expects it.
        finally:
            for task in self.tasks:
                task.cancel()
            self.writer.transport.abort()

    async def begin(self):
        # A strict peer enforces its settings before the client has acknowledged them.
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=self.settings)
        self.h2.initiate_connection()
        await self.flush()

    async def flush(self):
        self.writer.write(self.h2.data_to_send())
        await self.writer.drain()

    async def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            await self.headers(event.stream_id)
        elif isinstance(event, h2.events.DataReceived):
            self.bodies[event.stream_id] += event.data
            if event.flow_controlled_length:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            body = self.bodies.pop(event.stream_id, b"").decode()
            SEEN[self.name].requests.append(body)
            await self.request(event.stream_id, body)

    async def headers(self, stream):
        pass

    async def request(self, stream, body):
        self.respond(stream)

    def respond(self, stream, status=200, body=SUCCESS, **fields):
        names = [(name.replace("_", "-"), value) for name, value in fields.items()]
        self.h2.send_headers(stream, [(":status", str(status)), ("content-length", str(len(body))), *names])
        self.send(stream, body)

    def send(self, stream, body, end=True):
        while len(body) > 16384 and self.h2.local_flow_control_window(stream) >= 16384:
            self.h2.send_data(stream, body[:16384])
            body = body[16384:]
        self.h2.send_data(stream, body[: self.h2.local_flow_control_window(stream)], end_stream=end)

    def later(self, coroutine):
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def reset_tcp(self):
        """Ends the connection with a TCP reset, without TLS's close_notify."""
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class Healthy(Peer):
    pass


class ResetBefore(Peer):
    """Sends a TCP reset before it has read any request."""

    async def begin(self):
        self.reset_tcp()


class ResetMid(Peer):
    """Sends a TCP reset after it has read a part of the request's body."""

    settings = {MAX_STREAMS: 100, WINDOW: 10}

    async def take(self, event):
        if isinstance(event, h2.events.DataReceived):
            self.reset_tcp()


class ResetAfter(Peer):
    """Sends a TCP reset after it has read the complete request."""

    async def request(self, stream, body):
        self.reset_tcp()


class ResetAfterReuse(Peer):
    """The same, but each connection answers one request first."""

    count = 0

    async def request(self, stream, body):
        self.count += 1
        if self.count > 1:
            self.reset_tcp()
        else:
            self.respond(stream)


class GoAwayUnprocessed(Peer):
    """The first connection answers one request and reports by GOAWAY that it has not processed the others."""

    error = h2.errors.ErrorCodes.NO_ERROR
    streams = ()

    async def request(self, stream, body):
        if self.number > 1:
            return self.respond(stream)
        self.streams += (stream,)
        if len(self.streams) < 10:
            return
        first = min(self.streams)
        self.respond(first)
        self.h2.close_connection(self.error, last_stream_id=first)


class GoAwayCalm(GoAwayUnprocessed):
    """The same with ENHANCE_YOUR_CALM."""

    error = h2.errors.ErrorCodes.ENHANCE_YOUR_CALM


class GoAwayAfterTen(Peer):
    """Each connection answers ten requests and reports by GOAWAY that it has not processed the others."""

    streams = ()

    async def request(self, stream, body):
        self.streams += (stream,)
        if len(self.streams) == 10:
            for answered in self.streams:
                self.respond(answered)
            self.h2.close_connection(last_stream_id=max(self.streams))


class GoAwayAlways(Peer):
    """Every connection reports that it has not processed its first request."""

    async def request(self, stream, body):
        self.h2.close_connection(last_stream_id=0)


class StreamReset(Peer):
    error = h2.errors.ErrorCodes.INTERNAL_ERROR

    async def request(self, stream, body):
        self.h2.reset_stream(stream, self.error)


class StreamCalm(StreamReset):
    error = h2.errors.ErrorCodes.ENHANCE_YOUR_CALM


class StreamRefusedAlways(StreamReset):
    error = h2.errors.ErrorCodes.REFUSED_STREAM


class StreamRefusedOnce(StreamReset):
    """Refuses all streams of the first connection."""

    error = h2.errors.ErrorCodes.REFUSED_STREAM

    async def request(self, stream, body):
        if self.number > 1:
            self.respond(stream)
        else:
            await super().request(stream, body)


class OneStream(Peer):
    """Allows one stream at a time; more would be a protocol error of the client."""

    settings = {MAX_STREAMS: 1}


class ChangingStreams(Peer):
    """Allows one stream, then none for half a second, then a hundred."""

    settings = {MAX_STREAMS: 1}
    count = 0

    async def request(self, stream, body):
        self.respond(stream)
        self.count += 1
        if self.count == 1:
            self.h2.update_settings({MAX_STREAMS: 0})
            self.later(self.open_up())

    async def open_up(self):
        await asyncio.sleep(0.5)
        self.h2.update_settings({MAX_STREAMS: 100})
        await self.flush()


class Trickle(Peer):
    """Sends one byte per second to requests that contain `slow`; answers the others at once."""

    async def request(self, stream, body):
        if "slow" not in body:
            return self.respond(stream)
        self.h2.send_headers(stream, [(":status", "200")])
        self.later(self.drip(stream))

    async def drip(self, stream):
        for byte in SUCCESS * 10:
            self.h2.send_data(stream, bytes([byte]))
            await self.flush()
            await asyncio.sleep(1)


class HeadersThenSilence(Trickle):
    async def drip(self, stream):
        await self.flush()


class Answer(Peer):
    answer = (200, SUCCESS)
    fields = {}

    async def request(self, stream, body):
        self.respond(stream, *self.answer, **self.fields)


class HTML500(Answer):
    answer = (500, b"<html><title>Error 500</title></html>")
    fields = {"content_type": "text/html"}


class HTML502(HTML500):
    answer = (502, b"<html><title>Error 502</title></html>")


class HTML200(HTML500):
    answer = (200, b"<html><title>Sign in to the guest network</title></html>")


class Truncated200(Answer):
    answer = (200, b'{"name":"projects/p/mess')


class GzipBomb(Answer):
    """Sends ten megabytes compressed to ten kilobytes, although the client did not ask for compression."""

    answer = (200, gzip.compress(b" " * 10_000_000))
    fields = {"content_encoding": "gzip"}


class Huge(Answer):
    """Sends ten megabytes to requests that contain `huge`, as far as the client's flow control allows."""

    async def request(self, stream, body):
        if "huge" not in body:
            return self.respond(stream)
        self.h2.send_headers(stream, [(":status", "200")])
        self.later(self.pour(stream))

    async def pour(self, stream):
        try:
            for _ in range(1250):
                while self.h2.local_flow_control_window(stream) < 8192:
                    await asyncio.sleep(0.01)
                self.h2.send_data(stream, b" " * 8192)
                await self.flush()
        except (ConnectionError, h2.exceptions.ProtocolError, KeyError):
            pass  # The client has closed the stream.


class Silent(Peer):
    """Answers one request per connection and then nothing, not even a PING, like a half-open connection."""

    async def serve(self):
        try:
            await self.begin()
            while data := await self.reader.read(65536):
                if self.number == 1 and SEEN[self.name].requests:
                    continue
                for event in self.h2.receive_data(data):
                    await self.take(event)
                await self.flush()
        except (ConnectionError, ssl.SSLError, h2.exceptions.ProtocolError):
            pass
        finally:
            self.writer.transport.abort()


class Control(Peer):
    """Returns what all peers have received."""

    async def request(self, stream, body):
        seen = {
            name: {"connections": seen.connections, "requests": seen.requests}
            for name, seen in SEEN.items()
            if name != self.name
        }
        self.respond(stream, 200, json.dumps(seen).encode())


PEERS = {
    "control": Control, "healthy": Healthy, "reset_before": ResetBefore, "reset_mid": ResetMid,
    "reset_after": ResetAfter, "reset_after_reuse": ResetAfterReuse, "goaway_unprocessed": GoAwayUnprocessed,
    "goaway_calm": GoAwayCalm, "goaway_always": GoAwayAlways,
    "goaway_after_ten": GoAwayAfterTen, "stream_internal_error": StreamReset,
    "stream_calm": StreamCalm, "stream_refused_once": StreamRefusedOnce,
    "stream_refused_always": StreamRefusedAlways, "one_stream": OneStream, "changing_streams": ChangingStreams,
    "trickle": Trickle, "headers_then_silence": HeadersThenSilence, "html_500": HTML500, "html_502": HTML502,
    "html_200": HTML200, "truncated_200": Truncated200, "gzip_bomb": GzipBomb, "huge": Huge, "silent": Silent,
    "expired": Healthy, "wrong_host": Healthy, "unknown_authority": Healthy, "old_tls": Healthy, "no_alpn": Healthy,
}  # fmt: skip


def tls(name, authority):
    import datetime

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if name == "unknown_authority":
        authority = trustme.CA()
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    expiry = {"not_after": past, "not_before": past - datetime.timedelta(days=1)} if name == "expired" else {}
    host = "elsewhere.example" if name == "wrong_host" else "127.0.0.1"
    authority.issue_cert(host, **expiry).configure_cert(context)
    if name == "old_tls":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    if name != "no_alpn":
        context.set_alpn_protocols(["h2"])
    return context


async def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(pathlib.Path(sys.argv[1]) / "ca.pem"))
    for name, peer in PEERS.items():

        async def connected(reader, writer, name=name, peer=peer):
            await peer(name, reader, writer).serve()

        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls(name, authority))
        print(name, server.sockets[0].getsockname()[1])
    print("ready", flush=True)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
