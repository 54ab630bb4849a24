"""A stand-in of a Kubernetes API server, as far as the documents' kubectl commands go: it keeps what is applied, calls
every deployment available, gives it one pod, and takes a port-forward without forwarding anything."""

import base64
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

# Group and version, plural, kind, namespaced.
RESOURCES = [
    ("v1", "namespaces", "Namespace", False),
    ("v1", "pods", "Pod", True),
    ("v1", "services", "Service", True),
    ("v1", "serviceaccounts", "ServiceAccount", True),
    ("v1", "configmaps", "ConfigMap", True),
    ("v1", "secrets", "Secret", True),
    ("v1", "persistentvolumeclaims", "PersistentVolumeClaim", True),
    ("apps/v1", "deployments", "Deployment", True),
    ("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", True),
    ("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", True),
    ("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", True),
]
PORTFORWARD_PROTOCOL = "SPDY/3.1+portforward.k8s.io"


def prefix(version):
    return f"api/{version}" if "/" not in version else f"apis/{version}"


def discovery(version):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": [
        {"name": plural, "singularName": kind.lower(), "kind": kind, "namespaced": namespaced,
         "verbs": ["create", "get", "list", "patch", "watch"]}
        for group, plural, kind, namespaced in RESOURCES if group == version]}


def description(version):
    """As much OpenAPI as tells kubectl that the server itself checks fields."""
    group = version.rpartition("/")[0]
    return {"openapi": "3.0.0", "info": {"title": "stand-in", "version": "1"}, "paths": {
        f"/{prefix(version)}/{plural}/{{name}}": {"patch": {
            "x-kubernetes-group-version-kind": {"group": group, "version": version.rpartition("/")[2], "kind": kind},
            "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
            "responses": {"200": {"description": "OK"}}}}
        for own, plural, kind, _ in RESOURCES if own == version}}


class Cluster:
    """What is in the cluster, by path."""

    def __init__(self):
        self.objects, self.lock = {}, threading.Lock()

    def store(self, path, value):
        metadata = value.setdefault("metadata", {})
        metadata.update(uid=path, resourceVersion=str(len(self.objects) + 1), generation=1)
        self.objects[path] = value
        if value.get("kind") == "Deployment":
            counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"),
                                   value["spec"].get("replicas", 1))
            value["status"] = {"observedGeneration": 1, **counts}
            template = value["spec"]["template"]
            name = metadata["name"] + "-0"
            pod = {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"], "status": {"phase": "Running"},
                   "metadata": {**template["metadata"], "name": name, "namespace": metadata["namespace"]}}
            self.store(f"api/v1/namespaces/{metadata['namespace']}/pods/{name}", pod)
        return value

    def list(self, path, query):
        def labelled(value):
            wanted = query.get("labelSelector", [""])[0]
            labels = value["metadata"].get("labels", {})
            return all(labels.get(k) == v for k, v in (part.split("=") for part in wanted.split(",") if part))

        def named(value):
            wanted = query.get("fieldSelector", [""])[0]
            return not wanted or wanted == f"metadata.name={value['metadata']['name']}"

        return [v for p, v in self.objects.items() if p.rpartition("/")[0] == path and labelled(v) and named(v)]

    def answer(self, method, path, query, body):
        """A status and a body."""
        if path == "api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        versions = list(dict.fromkeys(version for version, *_ in RESOURCES))
        if path == "apis":
            groups = [{"name": v.partition("/")[0], "versions": [{"groupVersion": v, "version": v.partition("/")[2]}],
                       "preferredVersion": {"groupVersion": v, "version": v.partition("/")[2]}}
                      for v in versions if "/" in v]
            return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        if path == "openapi/v3":
            return 200, {"paths": {prefix(v): {"serverRelativeURL": f"/openapi/v3/{prefix(v)}"} for v in versions}}
        for version in versions:
            if path == prefix(version):
                return 200, discovery(version)
            if path == f"openapi/v3/{prefix(version)}":
                return 200, description(version)
        plural = next((p for v, p, _, _ in RESOURCES if path.endswith(f"/{p}") and path.startswith(prefix(v))), None)
        with self.lock:
            if method == "POST" and plural:
                path = f"{path}/{body['metadata']['name']}"
                if path in self.objects:
                    return 409, failure(409, "AlreadyExists")
                return 201, self.store(path, body)
            if path in self.objects:
                if method == "PATCH":
                    self.objects[path]["metadata"].setdefault("annotations", {}).update(
                        body.get("metadata", {}).get("annotations", {}))
                return 200, self.objects[path]
            if plural and method == "GET":
                kind, version = next((k, v) for v, p, k, _ in RESOURCES if p == plural)
                return 200, {"kind": f"{kind}List", "apiVersion": version, "metadata": {"resourceVersion": "1"},
                             "items": self.list(path, query)}
        return 404, failure(404, "NotFound")


def failure(code, reason):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one(self):
        url = urlsplit(self.path)
        if url.path.endswith("/portforward"):
            return self.take_port_forward()
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        status, answer = self.server.cluster.answer(self.command, url.path.strip("/"), parse_qs(url.query), body)
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        return None

    do_GET = do_POST = do_PATCH = handle_one

    def take_port_forward(self):
        """Upgrades to a WebSocket and is silent until kubectl goes."""
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.send_header("Sec-WebSocket-Protocol", PORTFORWARD_PROTOCOL)
        self.end_headers()
        self.wfile.flush()
        while self.rfile.read1(4096):
            pass
        self.close_connection = True

    def log_message(self, *_):
        pass


def serve(kubeconfig):
    """Starts a stand-in on a free port and writes the configuration with which kubectl finds it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.cluster = Cluster()
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "dragoman", "namespace": "NAMESPACE"}}
    server.cluster.store("api/v1/namespaces/NAMESPACE/serviceaccounts/dragoman", account)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    kubeconfig.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "stand-in",
        "clusters": [{"name": "stand-in", "cluster": {"server": address}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "stand-in", "context": {"cluster": "stand-in", "user": "nobody"}}]}))
    return server
