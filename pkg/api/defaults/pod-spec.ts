import type { Json } from "../json.ts";
import { child, ensure, flag, isJson, items, present, setDefault, setZeroDefault, text } from "../json.ts";
import { setClaimSpecDefaults } from "./claim.ts";

/** What the API server fills into every pod spec, in pods and in the templates of workloads. */
export function setPodSpecDefaults(spec: Json): void {
  setZeroDefault(spec, "dnsPolicy", "ClusterFirst");
  setZeroDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "securityContext", {});
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setZeroDefault(spec, "schedulerName", "default-scheduler");
  mirrorServiceAccount(spec);
  for (const volume of items(spec, "volumes")) setVolumeDefaults(volume);
  for (const container of containersOf(spec)) setContainerDefaults(container);
}

/** The deprecated `serviceAccount` always says the same as `serviceAccountName`. */
function mirrorServiceAccount(spec: Json): void {
  const name = text(spec, "serviceAccountName") || text(spec, "serviceAccount");
  if (name === "") return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}

export function containersOf(spec: Json): Json[] {
  return [
    ...items(spec, "containers"),
    ...items(spec, "initContainers"),
    ...items(spec, "ephemeralContainers"),
  ];
}

function setContainerDefaults(container: Json): void {
  setZeroDefault(container, "imagePullPolicy", defaultPullPolicy(text(container, "image")));
  setZeroDefault(container, "terminationMessagePath", "/dev/termination-log");
  setZeroDefault(container, "terminationMessagePolicy", "File");
  for (const variable of items(container, "env")) setEnvironmentDefaults(variable);
  for (const key of ["livenessProbe", "readinessProbe", "startupProbe"])
    setProbeDefaults(child(container, key));
  const lifecycle = child(container, "lifecycle");
  for (const key of ["postStart", "preStop"]) setHttpDefaults(child(lifecycle, key));
}

function setEnvironmentDefaults(variable: Json): void {
  const source = child(variable, "valueFrom");
  const field = child(source, "fieldRef");
  if (field !== undefined) setZeroDefault(field, "apiVersion", "v1");
  const resource = child(source, "resourceFieldRef");
  if (resource !== undefined) setZeroDefault(resource, "divisor", "0");
}

function setProbeDefaults(probe: Json | undefined): void {
  if (probe === undefined) return;
  setZeroDefault(probe, "timeoutSeconds", 1);
  setZeroDefault(probe, "periodSeconds", 10);
  setZeroDefault(probe, "successThreshold", 1);
  setZeroDefault(probe, "failureThreshold", 3);
  setHttpDefaults(probe);
}

function setHttpDefaults(handler: Json | undefined): void {
  const http = child(handler, "httpGet");
  if (http === undefined) return;
  setZeroDefault(http, "path", "/");
  setZeroDefault(http, "scheme", "HTTP");
}

/** A container image without a tag means "latest", and that is pulled anew for every start. */
export function defaultPullPolicy(image: string): string {
  const lastSegment = image.slice(image.lastIndexOf("/") + 1);
  if (image.includes("@")) return "IfNotPresent";
  const colon = lastSegment.indexOf(":");
  const isLatest = colon < 0 ? image !== "" : lastSegment.slice(colon + 1) === "latest";
  return isLatest && isImageReference(image) ? "Always" : "IfNotPresent";
}

const domain =
  /^(?:\[[a-fA-F0-9:]+\]|[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*)(?::\d+)?$/;
const repository =
  /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?$/;

/** A reference that cannot be parsed has no tag at all, not even the implied one. upstream: distribution/reference */
function isImageReference(image: string): boolean {
  // That would be the image itself.
  if (/^[a-f0-9]{64}$/.test(image)) return false;
  const [first = "", ...rest] = image.split("/");
  const isDomain = rest.length > 0 && (/[.:A-Z]/.test(first) || first === "localhost");
  // What has no place of its own is in the library.
  const path = isDomain ? rest.join("/") : rest.length > 0 ? image : `library/${image}`;
  if (path.replace(/:[^/]*$/, "").length > 255) return false;
  return repository.test(image) || (isDomain && domain.test(first) && repository.test(rest.join("/")));
}

function setVolumeDefaults(volume: Json): void {
  const sources = Object.keys(volume).filter((key) => key !== "name" && isJson(volume[key]));
  if (sources.length === 0) volume["emptyDir"] = {};
  for (const key of ["secret", "configMap", "downwardAPI", "projected"]) {
    const source = child(volume, key);
    if (source !== undefined) setDefault(source, "defaultMode", 0o644);
  }
  setDownwardDefaults(child(volume, "downwardAPI"));
  for (const source of items(child(volume, "projected"), "sources")) {
    setDownwardDefaults(child(source, "downwardAPI"));
    const token = child(source, "serviceAccountToken");
    if (token !== undefined) setDefault(token, "expirationSeconds", 3600);
    const certificate = child(source, "podCertificate");
    if (certificate !== undefined) setDefault(certificate, "maxExpirationSeconds", 86_400);
  }
  const hostPath = child(volume, "hostPath");
  if (hostPath !== undefined) setDefault(hostPath, "type", "");
  const image = child(volume, "image");
  if (image !== undefined) setZeroDefault(image, "pullPolicy", defaultPullPolicy(text(image, "reference")));
  const template = child(child(volume, "ephemeral"), "volumeClaimTemplate");
  if (template !== undefined) setClaimSpecDefaults(ensure(template, "spec"));
}

function setDownwardDefaults(source: Json | undefined): void {
  for (const file of items(source, "items")) {
    const field = child(file, "fieldRef");
    if (field !== undefined) setZeroDefault(field, "apiVersion", "v1");
    const resource = child(file, "resourceFieldRef");
    if (resource !== undefined) setZeroDefault(resource, "divisor", "0");
  }
}

/** Defaults of pods alone: a template does not get them, so that old templates keep their hash. */
export function setPodDefaults(spec: Json): void {
  for (const container of [...items(spec, "containers"), ...items(spec, "initContainers")]) {
    requestWhatIsLimited(container);
  }
  setDefault(spec, "enableServiceLinks", true);
  if (!flag(spec, "hostNetwork")) return;
  for (const container of [...items(spec, "containers"), ...items(spec, "initContainers")]) {
    for (const port of items(container, "ports")) {
      if (!present(port, "hostPort") || port["hostPort"] === 0) port["hostPort"] = port["containerPort"];
    }
  }
}

function requestWhatIsLimited(container: Json): void {
  const resources = child(container, "resources");
  const limits = child(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  const requests = ensure(resources, "requests");
  for (const [name, quantity] of Object.entries(limits)) requests[name] ??= quantity;
  if (Object.keys(requests).length === 0) delete resources["requests"];
}
