import { child, ensure, type Json, items, stringMap, text } from "../../api/json.ts";
import type { Quantity } from "../../api/quantity.ts";
import { type Amounts, parseAmounts } from "../../api/quota/amounts.ts";
import { podLimits, podRequests } from "../../api/quota/pod-requests.ts";
import { resources } from "../../api/resources.ts";
import type { LimitRangeItem, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import { specOf } from "../kinds/define-kind.ts";
import type { Draft } from "../kinds/kind.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

/** Gives containers the namespace's default requests and limits, and keeps containers, pods and claims within its bounds. */
export function limitRanger(reader: ClusterReader): AdmissionPlugin {
  const rangesOf = (namespace: string): readonly (readonly LimitRangeItem[])[] =>
    reader.list(resources.limitRanges, namespace).map(({ spec }) => spec?.limits ?? []);
  return {
    name: "LimitRanger",
    mutate(attributes, draft) {
      const pod = createdDraft(attributes, resources.pods, draft);
      if (pod === undefined) return;
      for (const limits of rangesOf(attributes.namespace)) fillDefaults(pod, limits);
    },
    validate(attributes, object) {
      if (object === undefined || !isLimited(attributes)) return;
      const isPod = isResource(attributes, resources.pods);
      for (const limits of rangesOf(attributes.namespace)) {
        const problems = isPod ? podProblems(object, limits) : claimProblems(object, limits);
        if (problems.length === 0) continue;
        const message = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
        throw forbidden(attributes.resource, attributes.refusedName, message);
      }
    },
  };
}

/** New pods and those that are resized; claims whenever they are written. */
function isLimited(attributes: AdmissionAttributes): boolean {
  const { operation, subresource, before } = attributes;
  if (before?.metadata.deletionTimestamp !== undefined) return false;
  if (isResource(attributes, resources.pods))
    return operation === "UPDATE" ? subresource === "resize" : operation === "CREATE" && subresource === "";
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && subresource === "" && isResource(attributes, resources.persistentVolumeClaims);
}

function fillDefaults(pod: Draft, limits: readonly LimitRangeItem[]): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const defaults: Filling = {
    requests: Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest)) as Texts,
    limits: Object.assign({}, ...ofContainers.map((limit) => limit.default)) as Texts,
  };
  const spec = specOf(pod);
  const filled = [
    ...items(spec, "containers").flatMap((container) => fillContainer(container, defaults, "container")),
    ...items(spec, "initContainers").flatMap((container) =>
      fillContainer(container, defaults, "init container"),
    ),
  ];
  if (filled.length === 0) return;
  const note = `LimitRanger plugin set: ${filled.join("; ")}`;
  pod.metadata["annotations"] = { ...stringMap(pod.metadata, "annotations"), [ANNOTATION]: note };
}

type Texts = Readonly<Record<string, string>>;
type Filling = Readonly<Record<"requests" | "limits", Texts>>;

/** What was filled in, in words. */
function fillContainer(container: Json, defaults: Filling, kind: string): readonly string[] {
  return (["requests", "limits"] as const).flatMap((list) => {
    const existing = child(child(container, "resources"), list);
    const missing = Object.keys(defaults[list]).filter((name) => existing?.[name] === undefined);
    for (const name of missing) ensure(ensure(container, "resources"), list)[name] = defaults[list][name];
    const what = list === "requests" ? "request" : "limit";
    return missing.length === 0
      ? []
      : [`${missing.sort().join(", ")} ${what} for ${kind} ${text(container, "name")}`];
  });
}

/** Undefined limits: they mean nothing there. */
interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts | undefined;
}

function podProblems(
  { spec = { containers: [] } }: Pod,
  limits: readonly LimitRangeItem[],
): readonly string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])].map((container): Usage => ({
    requests: parseAmounts(container.resources?.requests),
    limits: parseAmounts(container.resources?.limits),
  }));
  // The overhead is none of the user's making.
  const { overhead: _, ...own } = spec;
  return limits.flatMap((limit) => {
    if (limit.type === "Container") return containers.flatMap((usage) => problemsOf(limit, usage));
    if (limit.type !== "Pod") return [];
    return problemsOf(limit, { requests: podRequests(own), limits: podLimits(own) });
  });
}

function claimProblems(
  { spec }: PersistentVolumeClaim,
  limits: readonly LimitRangeItem[],
): readonly string[] {
  const requests = parseAmounts(spec?.resources?.requests);
  return limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => problemsOf({ ...limit, maxLimitRequestRatio: {} }, { requests, limits: undefined }));
}

function problemsOf(limit: LimitRangeItem, usage: Usage): readonly string[] {
  return [
    ...[...parseAmounts(limit.min)].flatMap(([name, minimum]) => {
      const bound = `minimum ${name} usage per ${limit.type} is ${minimum.toString()}`;
      const problem = belowProblem(minimum, usage.requests.get(name), usage.limits?.get(name));
      return problem === undefined ? [] : [bound + problem];
    }),
    ...[...parseAmounts(limit.max)].flatMap(([name, maximum]) => {
      const bound = `maximum ${name} usage per ${limit.type} is ${maximum.toString()}`;
      const problem = aboveProblem(maximum, name, usage);
      return problem === undefined ? [] : [bound + problem];
    }),
    ...[...parseAmounts(limit.maxLimitRequestRatio)].flatMap(([name, ratio]) => {
      const bound = `${name} max limit to request ratio per ${limit.type} is ${ratio.toString()}`;
      const problem = ratioProblem(ratio, usage.requests.get(name), usage.limits?.get(name));
      return problem === undefined ? [] : [bound + problem];
    }),
  ];
}

function belowProblem(
  minimum: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  if (request === undefined) return ".  No request is specified";
  if (request.compare(minimum) < 0) return `, but request is ${request.toString()}`;
  if (limit !== undefined && limit.compare(minimum) < 0) return `, but limit is ${limit.toString()}`;
  return undefined;
}

function aboveProblem(maximum: Quantity, name: string, { requests, limits }: Usage): string | undefined {
  const request = requests.get(name);
  const limit = limits?.get(name);
  if (limits === undefined) {
    if (request === undefined) return ".  No request is specified";
  } else if (limit === undefined) return ".  No limit is specified";
  else if (limit.compare(maximum) > 0) return `, but limit is ${limit.toString()}`;
  return request !== undefined && request.compare(maximum) > 0
    ? `, but request is ${request.toString()}`
    : undefined;
}

function ratioProblem(
  most: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  if (request === undefined || request.isZero()) return ", but no request is specified or request is 0";
  if (limit === undefined || limit.isZero()) return ", but no limit is specified or limit is 0";
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > most.toNumber() ? `, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
