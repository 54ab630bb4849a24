#!/usr/bin/env python3
"""Checks rendered Kubernetes manifests for what no schema covers: manifests.py FILE…

Every pod keeps to the restricted pod security standard, which the namespace enforces, and has probes and limits; every
selector finds pods, every port and every config map that is named is there, and every autoscaler has its target. A
gateway without keys accepts each name of its service, and one with a volume has time to migrate its queue.
"""

import sys

import yaml

# https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
SECCOMP = {"RuntimeDefault", "Localhost"}
# A pod that is killed while it migrates a large queue begins again.
MIGRATION_SECONDS_MIN = 1800


def restricted(pod):
    """What the standard does not allow in a pod's specification."""
    shared = pod.get("securityContext", {})
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field):
            yield field
    for volume in pod.get("volumes", []):
        if not volume.keys() - {"name"} <= VOLUMES:
            yield f"volume {volume['name']}"
    if shared.get("sysctls"):
        yield "sysctls"
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        own = container.get("securityContext", {})
        name = container["name"]
        if own.get("privileged") or own.get("procMount", "Default") != "Default":
            yield f"{name}: privileged or procMount"
        if own.get("allowPrivilegeEscalation") is not False:
            yield f"{name}: allowPrivilegeEscalation"
        if own.get("capabilities", {}).get("drop") != ["ALL"] or own["capabilities"].get("add"):
            yield f"{name}: capabilities"
        if not own.get("runAsNonRoot", shared.get("runAsNonRoot")):
            yield f"{name}: runAsNonRoot"
        if 0 in (own.get("runAsUser"), shared.get("runAsUser")):
            yield f"{name}: runAsUser 0"
        if own.get("seccompProfile", shared.get("seccompProfile", {})).get("type") not in SECCOMP:
            yield f"{name}: seccompProfile"
        if any(port.get("hostPort") for port in container.get("ports", [])):
            yield f"{name}: hostPort"
        # Beyond the standard: what this repository documents.
        if not own.get("readOnlyRootFilesystem"):
            yield f"{name}: readOnlyRootFilesystem"
        for field in ("livenessProbe", "readinessProbe"):
            if field not in container:
                yield f"{name}: {field}"
        if "memory" not in container.get("resources", {}).get("limits", {}):
            yield f"{name}: resources.limits.memory"


def selected(workloads, labels):
    return [w for w in workloads if labels.items() <= w["spec"]["template"]["metadata"]["labels"].items()]


def ports_of(workload):
    ports = [p for c in workload["spec"]["template"]["spec"]["containers"] for p in c.get("ports", [])]
    return {p.get("name") for p in ports} | {p["containerPort"] for p in ports}


def refused_names(service, objects):
    """The names of a service that the gateway behind it does not accept without a key."""
    name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
    if name != "dragoman":
        return
    for o in objects:
        configuration = yaml.safe_load(o.get("data", {}).get("gateway.yaml", "")) if o["kind"] == "ConfigMap" else None
        if configuration and configuration.get("auth", {}).get("allow_anonymous"):
            allowed = configuration["server"].get("allowed_hosts", [])
            for end in ("", f".{namespace}", f".{namespace}.svc", f".{namespace}.svc.cluster.local"):
                if name + end not in allowed:
                    yield f"server.allowed_hosts lacks {name}{end}"


def problems(objects):
    workloads = [o for o in objects if o["kind"] in ("Deployment", "StatefulSet")]
    names = {(o["kind"], o["metadata"]["name"]) for o in objects}
    if not workloads:
        yield "there is no workload"
    for o in objects:
        where, spec = f"{o['kind']} {o['metadata']['name']}", o.get("spec", {})
        if o["kind"] == "Namespace":
            if o["metadata"].get("labels", {}).get("pod-security.kubernetes.io/enforce") != "restricted":
                yield f"{where}: does not enforce the restricted standard"
        elif o in workloads:
            pod = spec["template"]["spec"]
            yield from (f"{where}: {what}" for what in restricted(pod))
            if not spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items():
                yield f"{where}: its selector does not find its pods"
            if ("ServiceAccount", pod.get("serviceAccountName", "dragoman")) not in names:
                yield f"{where}: there is no such service account"
            if any("persistentVolumeClaim" in volume for volume in pod.get("volumes", [])):
                for container in pod["containers"]:
                    probe = container.get("startupProbe", {})
                    if probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3) < MIGRATION_SECONDS_MIN:
                        yield f"{where}: {container['name']} is killed before it has migrated a large queue"
            for volume in pod.get("volumes", []):
                for kind, field in (("ConfigMap", "configMap"), ("PersistentVolumeClaim", "persistentVolumeClaim")):
                    source = volume.get(field, {})
                    if source and (kind, source.get("name") or source.get("claimName")) not in names:
                        yield f"{where}: there is no {kind} for volume {volume['name']}"
        elif o["kind"] == "Service":
            found = selected(workloads, spec["selector"])
            for port in spec["ports"]:
                if not any(port.get("targetPort", port["port"]) in ports_of(w) for w in found):
                    yield f"{where}: no pod has port {port.get('targetPort', port['port'])}"
            yield from (f"{where}: {what}" for what in refused_names(o, objects))
        elif o["kind"] == "PodDisruptionBudget":
            if not selected(workloads, spec["selector"]["matchLabels"]):
                yield f"{where}: finds no pods"
        elif o["kind"] == "NetworkPolicy":
            found = selected(workloads, spec["podSelector"].get("matchLabels", {}))
            if not found:
                yield f"{where}: finds no pods"
            for rule in spec.get("ingress", []):
                for port in rule.get("ports", []):
                    if not any(port["port"] in ports_of(w) for w in found):
                        yield f"{where}: no pod has port {port['port']}"
        elif o["kind"] == "HorizontalPodAutoscaler":
            target = spec["scaleTargetRef"]
            if (target["kind"], target["name"]) not in names:
                yield f"{where}: there is no {target['kind']} {target['name']}"
            for metric in spec["metrics"]:
                name = metric["external"]["metric"]["name"]
                if name not in open("docs/deployment.md").read():
                    yield f"{where}: docs/deployment.md does not explain how the adapter gets {name}"


def main():
    failed = False
    for path in sys.argv[1:]:
        with open(path) as file:
            objects = [o for o in yaml.safe_load_all(file) if o]
        for problem in problems(objects):
            print(f"{path}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
