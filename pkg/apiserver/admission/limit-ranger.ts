import { parseAmounts } from "../../api/quota/amounts.ts";
import { resources } from "../../api/resources.ts";
import type { Container, LimitRangeItem, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { ApiObject } from "../../api/object.ts";
import { specOf } from "../kinds/define-kind.ts";
import { child, ensure, type Json, items, text } from "../../api/json.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

/** Gives containers the namespace's default requests and limits, and keeps them within its bounds. */
export function limitRanger(reader: ClusterReader): AdmissionPlugin {
  const limitsOf = (namespace: string, type: string): readonly LimitRangeItem[] =>
    reader
      .list(resources.limitRanges, namespace)
      .flatMap((range) => range.spec?.limits ?? [])
      .filter((limit) => limit.type === type);
  return {
    name: "LimitRanger",
    mutate(attributes, draft) {
      const pod = createdDraft(attributes, resources.pods, draft);
      if (pod === undefined) return;
      for (const limit of limitsOf(attributes.namespace, "Container")) fillDefaults(specOf(pod), limit);
    },
    validate(attributes, object) {
      if (attributes.operation !== "CREATE" || attributes.subresource !== "" || object === undefined) return;
      const problems = isResource(attributes, resources.pods)
        ? limitsOf(attributes.namespace, "Container").flatMap((limit) => podProblems(object as Pod, limit))
        : claimProblems(attributes, object, limitsOf(attributes.namespace, "PersistentVolumeClaim"));
      if (problems.length === 0) return;
      const message = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
      throw forbidden(attributes.resource, attributes.name, message);
    },
  };
}

function fillDefaults(spec: Json, limit: LimitRangeItem): void {
  for (const container of [...items(spec, "containers"), ...items(spec, "initContainers")]) {
    if (text(container, "name") === "") continue;
    fill(container, "requests", limit.defaultRequest);
    fill(container, "limits", limit.default);
  }
}

function fill(container: Json, list: string, defaults: Readonly<Record<string, string>> | undefined): void {
  for (const [name, value] of Object.entries(defaults ?? {})) {
    const existing = child(child(container, "resources"), list);
    if (existing?.[name] === undefined) ensure(ensure(container, "resources"), list)[name] = value;
  }
}

function podProblems(pod: Pod, limit: LimitRangeItem): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers.flatMap((container) => containerProblems(container, limit));
}

function containerProblems({ resources: own }: Container, limit: LimitRangeItem): string[] {
  const requests = parseAmounts(own?.requests);
  const limits = parseAmounts(own?.limits);
  const problems: string[] = [];
  for (const [name, minimum] of parseAmounts(limit.min)) {
    const bound = `minimum ${name} usage per Container is ${minimum.toString()}`;
    const request = requests.get(name);
    const most = limits.get(name);
    if (request === undefined) problems.push(`${bound}.  No request is specified`);
    else if (request.compare(minimum) < 0) problems.push(`${bound}, but request is ${request.toString()}`);
    if (most !== undefined && most.compare(minimum) < 0)
      problems.push(`${bound}, but limit is ${most.toString()}`);
  }
  for (const [name, maximum] of parseAmounts(limit.max)) {
    const bound = `maximum ${name} usage per Container is ${maximum.toString()}`;
    const most = limits.get(name);
    const request = requests.get(name);
    if (most === undefined) problems.push(`${bound}.  No limit is specified`);
    else if (most.compare(maximum) > 0) problems.push(`${bound}, but limit is ${most.toString()}`);
    if (request !== undefined && request.compare(maximum) > 0) {
      problems.push(`${bound}, but request is ${request.toString()}`);
    }
  }
  return problems;
}

function claimProblems(
  attributes: AdmissionAttributes,
  object: ApiObject,
  limits: readonly LimitRangeItem[],
): string[] {
  if (!isResource(attributes, resources.persistentVolumeClaims)) return [];
  const asked = parseAmounts((object as PersistentVolumeClaim).spec?.resources?.requests).get("storage");
  if (asked === undefined) return [];
  return limits.flatMap((limit) => {
    const minimum = parseAmounts(limit.min).get("storage");
    const maximum = parseAmounts(limit.max).get("storage");
    const problems: string[] = [];
    const bound = (word: string, amount: { toString(): string }): string =>
      `${word} storage usage per PersistentVolumeClaim is ${amount.toString()}, but request is ${asked.toString()}`;
    if (minimum !== undefined && asked.compare(minimum) < 0) problems.push(bound("minimum", minimum));
    if (maximum !== undefined && asked.compare(maximum) > 0) problems.push(bound("maximum", maximum));
    return problems;
  });
}
