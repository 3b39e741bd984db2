import { resources } from "../../api/resources.ts";
import type { PriorityClass } from "../../api/types/scheduling-v1.gen.ts";
import { specOf } from "../kinds/define-kind.ts";
import {
  asJson,
  child,
  copyField,
  integer,
  type Json,
  items,
  optionalText,
  present,
  setDefault,
  text,
} from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

/** A pod waits five minutes on a node that has gone, unless it says otherwise. */
export const defaultTolerations: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(attributes, draft) {
    if (draft === undefined || attributes.subresource !== "" || !isResource(attributes, resources.pods))
      return;
    const spec = specOf(draft);
    const tolerations = items(spec, "tolerations");
    const added = [notReady, unreachable]
      .filter((key) => !tolerations.some((one) => toleratesNoExecute(one, key)))
      .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
    if (added.length > 0) spec["tolerations"] = [...tolerations, ...added];
  },
};

function toleratesNoExecute(toleration: Json, key: string): boolean {
  const own = text(toleration, "key");
  const effect = text(toleration, "effect");
  return (own === "" || own === key) && (effect === "" || effect === "NoExecute");
}

/** The number behind the name of a pod's priority class. */
export function priorityAdmission(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "Priority",
    mutate(attributes, draft) {
      if (draft === undefined || attributes.subresource !== "") return;
      if (isResource(attributes, resources.priorityClasses)) refuseSecondDefault(reader, attributes, draft);
      if (!isResource(attributes, resources.pods)) return;
      if (attributes.operation === "UPDATE") keepPriority(specOf(draft), attributes);
      else setPriority(specOf(draft), reader, attributes);
    },
  };
}

/** Old clients leave these out when they write a pod back. */
function keepPriority(spec: Json, { before }: AdmissionAttributes): void {
  const old = before === undefined ? undefined : child(asJson(before), "spec");
  for (const key of ["priority", "preemptionPolicy"]) {
    if (!present(spec, key) && old !== undefined) copyField(spec, old, key);
  }
}

function setPriority(spec: Json, reader: ClusterReader, attributes: AdmissionAttributes): void {
  const refuse = (why: string): never => {
    throw forbidden(resources.pods, attributes.refusedName, why);
  };
  const className = text(spec, "priorityClassName");
  const chosen =
    className === "" ? globalDefault(reader) : reader.get(resources.priorityClasses, "", className);
  if (className !== "" && chosen === undefined) {
    refuse(`no PriorityClass with name ${className} was found`);
  }
  if (className === "" && chosen !== undefined) spec["priorityClassName"] = chosen.metadata.name;
  const priority = chosen?.value ?? 0;
  const given = integer(spec, "priority");
  if (given !== undefined && given !== priority) {
    refuse(
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  spec["priority"] = priority;
  const policy = chosen?.preemptionPolicy ?? "PreemptLowerPriority";
  const givenPolicy = optionalText(spec, "preemptionPolicy");
  if (givenPolicy !== undefined && givenPolicy !== policy) {
    refuse(
      `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  setDefault(spec, "preemptionPolicy", policy);
}

/** Should there be several by a race, the lowest counts. */
function globalDefault(reader: ClusterReader): ReturnType<typeof defaultsOf>[number] | undefined {
  return defaultsOf(reader).toSorted((left, right) => (left.value ?? 0) - (right.value ?? 0))[0];
}

function defaultsOf(reader: ClusterReader) {
  return reader.list(resources.priorityClasses).filter((one: PriorityClass) => one.globalDefault === true);
}

function refuseSecondDefault(reader: ClusterReader, attributes: AdmissionAttributes, draft: Draft): void {
  if (draft["globalDefault"] !== true) return;
  const other = defaultsOf(reader).find((one) => one.metadata.name !== attributes.name);
  if (other === undefined) return;
  throw forbidden(
    resources.priorityClasses,
    attributes.refusedName,
    `PriorityClass ${other.metadata.name ?? ""} is already marked as default. Only one default can exist`,
  );
}

/** A new node takes no pods before a controller has seen it ready. */
export const nodeTaint: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate(attributes, draft) {
    const node = createdDraft(attributes, resources.nodes, draft);
    if (node === undefined) return;
    const spec = specOf(node);
    const taints = items(spec, "taints");
    if (taints.some((taint) => text(taint, "key") === notReady && text(taint, "effect") === "NoSchedule"))
      return;
    spec["taints"] = [...taints, { key: notReady, effect: "NoSchedule" }];
  },
};
