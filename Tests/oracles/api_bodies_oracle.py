#!/usr/bin/env python3
"""Posts valid and invalid JSON, and problematic strings, to a gateway on the example app: api_bodies_oracle.py URL

Every operation with a body must answer invalid JSON, and only that, with 400 malformed-json. Strings must come back byte by
byte or be rejected. No request may cause a server error. Exits with 1 if a check fails.
"""

import http.client
import json
import sys
import urllib.parse

url = urllib.parse.urlsplit(sys.argv[1])
ID = "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e"
PATHS = ["/v1/notifications", "/v1/notifications/batch", "/v1/templates/welcome/preview"]
failures = []


def ask(method, path, body=None, headers=()):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    fields = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, body, {**fields, **dict(headers)})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text) if text.startswith(b"{") else text


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED", what, file=sys.stderr)


GOOD = [
    b"[]", b"{}", b"null", b"true", b"false", b'""', b"0", b"-0", b"-1", b"1e5", b"1E+2", b"1e-2", b"123.456",
    b" [ ] ", b"\t\n\r {}\n", b'["\\u0060\\u012a\\u12AB"]', b'["\\uD801\\udc37"]', b'["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
    b'["\\u0000"]', b'{"":0}', b'{"a":{"b":[]}}', b'{"foo\\u0000bar":42}', b'["\x7f"]', b'["\xe2\x82\xac"]',
    b'["\xf4\x8f\xbf\xbf"]', b'["\xe2\x80\xa8"]', b'["\xef\xbf\xbe"]', b"[1,null,2]", b"[123e65]", b"[1e-400]",
    b'{"min":-1.0e+28,"max":1.0e+28}', b"[" * 64 + b"]" * 64, b"[-0.0000000000000000000000000000000000000001]",
    b'["\xc2\x85"]', b'"asd "', b'{"a":1,"A":2}', b'{"\xc3\xa9":1,"e\xcc\x81":2}', b'["' + b"x" * 100000 + b'"]',
]
BAD = [
    b"", b" ", b"[", b"]", b"{", b"}", b"[1,]", b"[,1]", b"[1,,2]", b"[1 2]", b'["a" "b"]', b"[1:2]", b"{1:1}",
    b'{"a":1,}', b'{"a",1}', b'{"a"}', b'{"a":}', b'{:"b"}', b"{a:1}", b"{'a':0}", b'{"a":1 "b":2}', b'{"a":1}}',
    b"[]]", b"[1]x", b"[][]", b'"', b'"a', b"'a'", b"[nul]", b"[NaN]", b"[Infinity]", b"[-Infinity]", b"[True]",
    b"nulll", b"[01]", b"[-01]", b"[+1]", b"[.5]", b"[1.]", b"[-.1]", b"[1e]", b"[1e+]", b"[1.e3]", b"[0x1]", b"[1_0]",
    b"[-]", b"[--1]", b"[1+2]", b"[0e]", b"[\xef\xbc\x91]", b'["\\x00"]', b'["\\u12"]', b'["\\u00A"]', b'["\\uG000"]',
    b'["\\"]', b'["\\a"]', b'["\n"]', b'["\t"]', b'["\x00"]', b'["\x1f"]', b"[\x00]", b"\x00", b"[\x0c]", b"\xef\xbb\xbf{}",
    b"\xff\xfe[\x00]\x00", b"\x00[\x00]", b'["\xff"]', b'["\xc0\xaf"]', b'["\xed\xa0\x80"]', b'["\xf4\x90\x80\x80"]',
    b'["\xe2\x82"]', b'["\xc3"]', b"{\xe9:1}", b'["\\uD800"]', b'["\\uDC00"]', b'["\\uD800\\u0041"]',
    b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}', b"/**/{}", b"{}//", b"{}#", b"<a/>", b"a=1", b"[\xc2\xa0]", b"[\xe2\x81\xa0]",
    b"[" * 65 + b"]" * 65, b"[" * 100000, b'{"a":' * 50000, b'[{"":' * 30000, b"*", b"[1" * 1000, b"\xe5",
]
NAUGHTY = [
    "", " ", "null", "undefined", "NaN", "-1", "0x0", "1e999", "true", "\u0000", "\u0007", "\u001f", "\u007f", "\u0085",
    "\ufeff", "\ufffe", "\u202e\u0645", "\u200b", "\u00ad", "e\u0301", "\u00e9", "\u212a", "\u01c5", "\u1e9e",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0010ffff", "Z\u0351\u036b\u0343a\u0315lgo",
    "%s%s%s%n", "%1$s %@ %d %%", "${HOME}", "{{7*7}}", "$(touch x)", "`id`", "'; DROP TABLE notifications;--", '" or 1=1',
    "<script>alert(1)</script>", "]]>", "<!--", "&amp;", "\\u0000", "\\", "/", "../../etc/passwd", "\r\nSet-Cookie: a=b",
    "a\tb", "\u2028\u2029", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "\u05d0\u0644",
    "\u3042\u4e2d\ud55c", "\ufdfd", "Powerl\u0644\u0635\u0628", "A" * 100, "\u20ac" * 100, "__proto__", "constructor",
]

for path in PATHS:
    for body in GOOD:
        status, answer = ask("POST", path, body)
        expect(status < 500 and answer.get("type") != "/problems/malformed-json", f"{path} rejected {body[:40]!r} as malformed")
    for body in BAD:
        status, answer = ask("POST", path, body)
        expect(
            status == 400 and answer.get("type") == "/problems/malformed-json", f"{path} answered {body[:40]!r} with {status}")

for text in NAUGHTY:
    quoted = urllib.parse.quote(text, safe="")
    body = json.dumps({"args": {"name": text}, "locales": ["en"], "platforms": ["android"]})
    status, answer = ask("POST", "/v1/templates/welcome/preview", body)
    if status == 200:
        args = answer["message"]["android"]["notification"]["title_loc_args"]
        # An override that is not closed gets its closer.
        expected = text + "\u202c" * text.count("\u202e")
        expect(args == [expected], f"the arg {text!r} became {args!r}")
    else:
        expect(status == 422, f"the arg {text!r} was answered with {status}")
    send = {"template": "welcome", "to": {"token": text}, "args": {"name": text}, "data": {"k": text}}
    status, answer = ask("POST", "/v1/notifications", json.dumps(send, ensure_ascii=False).encode())
    if status == 202:
        target = ask("GET", "/v1/notifications/" + answer["id"])[1]["deliveries"][0]["target"]
        expect(target == {"token": text}, f"the token {text!r} became {target!r}")
    else:
        expect(status == 422, f"the token {text!r} was answered with {status}")
    for field in ["template", "app", "ttl", "priority", "collapse_key", "analytics_label", "send_at"]:
        whole = {"template": "welcome", "to": {"token": "t"}, "args": {"name": "A"}, field: text}
        status, answer = ask("POST", "/v1/notifications", json.dumps(whole))
        expect(status in (202, 422), f"{field} {text!r} was answered with {status}")
    for target in [
        f"/v1/notifications/{quoted}", f"/v1/templates/{quoted}", f"/problems/{quoted}", f"/v1/notifications?app={quoted}",
        f"/v1/notifications?cursor={quoted}", f"/v1/feedback?after={quoted}", f"/v1/stats?{quoted}=1", f"/{quoted}",
    ]:
        status, _ = ask("GET", target)
        expect(status in (200, 400, 404, 422), f"GET {target} was answered with {status}")
    if text.isascii() and text.isprintable():
        for name in ["Idempotency-Key", "X-Request-Id", "traceparent", "Authorization", "Accept"]:
            status, _ = ask("POST", PATHS[0], json.dumps(send), {name: text})
            expect(status in (202, 422), f"{name}: {text!r} was answered with {status}")

if failures:
    sys.exit(f"{len(failures)} checks failed")
print(f"{len(PATHS) * (len(GOOD) + len(BAD))} JSON bodies and {len(NAUGHTY)} strings: all handled as expected")
