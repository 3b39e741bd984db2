import type { FieldErrors } from "../field-errors.ts";
import { httpHeaderName, portName, portNumber } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, count64, int64, integer, items, present, strings, text } from "../../../api/json.ts";
import type { PodSpecView } from "./pod-spec-view.ts";

const probeHandlers = ["exec", "httpGet", "tcpSocket", "grpc"] as const;
const lifecycleHandlers = ["exec", "httpGet", "tcpSocket", "sleep"] as const;
type Handler = (typeof probeHandlers)[number] | (typeof lifecycleHandlers)[number];

export function validateProbes(container: Json, view: PodSpecView, path: string, errors: FieldErrors): void {
  for (const key of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = child(container, key);
    if (probe === undefined) continue;
    const at = `${path}.${key}`;
    validateProbe(probe, view, at, errors);
    if (key === "readinessProbe") {
      if (present(probe, "terminationGracePeriodSeconds")) {
        errors.invalid(
          `${at}.terminationGracePeriodSeconds`,
          int64(probe, "terminationGracePeriodSeconds"),
          "must not be set for readinessProbes",
        );
      }
    } else if (count(probe, "successThreshold") !== 1) {
      errors.invalid(`${at}.successThreshold`, count(probe, "successThreshold"), "must be 1");
    }
  }
}

function validateProbe(probe: Json, view: PodSpecView, path: string, errors: FieldErrors): void {
  validateHandler(probe, { kinds: probeHandlers, view }, path, errors);
  const periods = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ];
  for (const key of periods) errors.nonNegative(`${path}.${key}`, integer(probe, key));
  const grace = int64(probe, "terminationGracePeriodSeconds");
  if (grace !== undefined && grace <= 0) {
    errors.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0");
  }
}

export function validateLifecycle(
  lifecycle: Json | undefined,
  view: PodSpecView,
  path: string,
  errors: FieldErrors,
): void {
  if (lifecycle === undefined) return;
  for (const key of ["postStart", "preStop"]) {
    const handler = child(lifecycle, key);
    if (handler !== undefined)
      validateHandler(handler, { kinds: lifecycleHandlers, view }, `${path}.${key}`, errors);
  }
}

interface Place {
  /** The handlers that may stand there. */
  readonly kinds: readonly Handler[];
  readonly view: PodSpecView;
}

function validateHandler(holder: Json, { kinds, view }: Place, path: string, errors: FieldErrors): void {
  const given = kinds.filter((kind) => present(holder, kind));
  const [first, ...others] = given;
  if (first === undefined) {
    errors.required(path, "must specify a handler type");
    return;
  }
  const handler = child(holder, first) ?? {};
  const at = `${path}.${first}`;
  switch (first) {
    case "exec":
      if (strings(handler, "command").length === 0) errors.required(`${at}.command`);
      break;
    case "httpGet":
      validateHttpGet(handler, at, errors);
      break;
    case "tcpSocket":
    case "grpc":
      validatePort(handler["port"] ?? 0, `${at}.port`, errors);
      break;
    case "sleep":
      validateSleep(handler, view, at, errors);
      break;
  }
  for (const other of others)
    errors.forbidden(`${path}.${other}`, "may not specify more than 1 handler type");
}

function validateHttpGet(handler: Json, path: string, errors: FieldErrors): void {
  if (text(handler, "path") === "") errors.required(`${path}.path`);
  validatePort(handler["port"] ?? 0, `${path}.port`, errors);
  const scheme = text(handler, "scheme");
  if (scheme !== "HTTP" && scheme !== "HTTPS")
    errors.notSupported(`${path}.scheme`, scheme, ["HTTP", "HTTPS"]);
  for (const header of items(handler, "httpHeaders")) {
    const name = text(header, "name");
    errors.invalidEach(`${path}.httpHeaders`, name, httpHeaderName(name));
  }
}

/** A port by number or by the name that a container gives it. */
export function validatePort(port: unknown, path: string, errors: FieldErrors): void {
  if (typeof port === "number") errors.invalidEach(path, port, portNumber(port));
  else if (typeof port === "string") errors.invalidEach(path, port, portName(port));
}

function validateSleep(handler: Json, view: PodSpecView, path: string, errors: FieldErrors): void {
  const seconds = count64(handler, "seconds");
  const grace = int64(view.spec, "terminationGracePeriodSeconds");
  if (grace !== undefined && (seconds < 0 || seconds > grace)) {
    errors.invalid(
      path,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
    );
  }
}
