import { semanticEqual } from "../../api/equality.ts";
import { asJson, child, type Json, present, text } from "../../api/json.ts";
import { resources } from "../../api/resources.ts";
import type { PodSpec, Toleration } from "../../api/types/core-v1.gen.ts";
import type { RuntimeClass } from "../../api/types/node-v1.gen.ts";
import { specOf } from "../kinds/define-kind.ts";
import type { Draft } from "../kinds/kind.ts";
import { quantities } from "../kinds/quantities.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

/** What a pod's runtime needs for itself, and where there is one, is said by the class of the runtime. */
export function runtimeClassAdmission(reader: ClusterReader): AdmissionPlugin {
  const classOf = (attributes: AdmissionAttributes, spec: Json | undefined): RuntimeClass | undefined => {
    if (!present(spec, "runtimeClassName")) return undefined;
    const name = text(spec, "runtimeClassName");
    const found = reader.get(resources.runtimeClasses, "", name);
    if (found === undefined)
      refuse(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found;
  };
  return {
    name: "RuntimeClass",
    mutate(attributes, draft) {
      const pod = createdDraft(attributes, resources.pods, draft);
      if (pod === undefined) return;
      const { overhead, scheduling } = classOf(attributes, specOf(pod)) ?? {};
      if (overhead !== undefined) setOverhead(attributes, pod, overhead);
      if (scheduling !== undefined) setScheduling(attributes, pod, scheduling);
    },
    validate(attributes, pod) {
      const { operation, subresource } = attributes;
      if (pod === undefined || operation !== "CREATE" || subresource !== "") return;
      if (!isResource(attributes, resources.pods)) return;
      const spec = child(asJson(pod), "spec");
      const { overhead } = classOf(attributes, spec) ?? {};
      if (overhead !== undefined && !sameOverhead(spec, overhead)) refuse(attributes, OTHER_OVERHEAD);
      if (overhead === undefined && present(spec, "overhead"))
        refuse(
          attributes,
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        );
    },
  };
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function refuse({ refusedName }: AdmissionAttributes, why: string): never {
  throw forbidden(resources.pods, refusedName, why);
}

function setOverhead(
  attributes: AdmissionAttributes,
  pod: Draft,
  overhead: NonNullable<RuntimeClass["overhead"]>,
): void {
  const spec = specOf(pod);
  if (quantities(spec, "overhead").size > 0 && !sameOverhead(spec, overhead))
    refuse(attributes, OTHER_OVERHEAD);
  if (overhead.podFixed === undefined) delete spec["overhead"];
  else spec["overhead"] = { ...overhead.podFixed };
}

function sameOverhead(spec: Json | undefined, overhead: NonNullable<RuntimeClass["overhead"]>): boolean {
  const [wanted, given] = [quantities({ ...overhead }, "podFixed"), quantities(spec, "overhead")];
  return (
    wanted.size === given.size &&
    [...wanted].every(([name, quantity]) => given.get(name)?.compare(quantity) === 0)
  );
}

function setScheduling(
  attributes: AdmissionAttributes,
  pod: Draft,
  { nodeSelector, tolerations }: NonNullable<RuntimeClass["scheduling"]>,
): void {
  const spec = specOf(pod);
  const given: Pick<PodSpec, "nodeSelector" | "tolerations"> = spec;
  const own = given.nodeSelector ?? {};
  for (const [key, value] of Object.entries(nodeSelector ?? {}))
    if (own[key] !== undefined && own[key] !== value)
      refuse(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`,
      );
  if (nodeSelector !== undefined) spec["nodeSelector"] = { ...own, ...nodeSelector };
  const all = mergedTolerations([...(given.tolerations ?? []), ...(tolerations ?? [])]);
  if (all.length > 0) spec["tolerations"] = all;
}

/** Without those that another one covers; of two that say the same, the first stays. */
function mergedTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, one] of all.entries()) {
    const isCovered = (other: Toleration): boolean => covers(other, one);
    const later = all.slice(index + 1).filter((other) => !semanticEqual(one, other));
    if (!merged.some(isCovered) && !later.some(isCovered)) merged.push(one);
  }
  return merged;
}

/** Whether the one tolerates whatever the other does. */
function covers(one: Toleration, other: Toleration): boolean {
  if (semanticEqual(one, other)) return true;
  const isForAllKeys = one.operator === "Exists" && !one.key;
  if ((one.key ?? "") !== (other.key ?? "") && !isForAllKeys) return false;
  if (one.effect && one.effect !== (other.effect ?? "")) return false;
  if (one.effect === "NoExecute" && one.tolerationSeconds !== undefined)
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > one.tolerationSeconds)
      return false;
  if (one.operator === "Exists") return true;
  const isEqual = (one.operator ?? "") === "" || one.operator === "Equal";
  return isEqual && other.operator === "Equal" && (one.value ?? "") === (other.value ?? "");
}
