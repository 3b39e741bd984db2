import { formatTime } from "../../../api/time.ts";
import { resources } from "../../../api/resources.ts";
import { keepMetadata, defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  copyField,
  count64,
  flag,
  int64,
  items,
  present,
  stringMap,
  text,
} from "../../../api/json.ts";
import { ipWarnings } from "../network/address-checks.ts";
import { podWarnings } from "../warnings/pod.ts";
import { hostnameWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { takeAppArmorAnnotations } from "./app-armor.ts";
import { validateImageSpaces } from "./container.ts";
import { applyMatchLabelKeys } from "./match-label-keys.ts";
import { validatePodAnnotations } from "./pod-annotations.ts";
import { podColumns } from "./pod-columns.ts";
import { validatePodSpec } from "./pod-spec.ts";
import { validatePodStatus } from "./pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodChange, validatePodResize } from "./pod-update.ts";
import { podQosClass } from "../../../api/quota/qos.ts";
import { setPodDefaults, setPodSpecDefaults } from "../../../api/defaults/pod-spec.ts";

function prepareForCreate(draft: Draft, nowMs: number): void {
  const spec = specOf(draft);
  // Of what a client says of the status this alone is believed, as it is upstream.
  const given = text(child(draft, "status"), "qosClass");
  const status: Json = { phase: "Pending", qosClass: given === "" ? podQosClass(spec) : given };
  if (items(spec, "schedulingGates").length > 0) {
    status["conditions"] = [
      {
        type: "PodScheduled",
        status: "False",
        lastTransitionTime: formatTime(nowMs),
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
  draft["status"] = status;
  takeAppArmorAnnotations(spec, stringMap(draft.metadata, "annotations"));
  applyMatchLabelKeys(spec, stringMap(draft.metadata, "labels"));
}

function prepareForUpdate(draft: Draft, before: Json, subresource: string): void {
  if (subresource === "status") prepareStatus(draft, before);
  if (subresource === "ephemeralcontainers") {
    const added = specOf(draft)["ephemeralContainers"];
    keepAll(draft, before);
    specOf(draft)["ephemeralContainers"] = added;
  }
  if (subresource === "resize") keepAllButResources(draft, before);
}

function prepareStatus(draft: Draft, before: Json): void {
  const status = child(draft, "status") ?? {};
  const old = child(before, "status") ?? {};
  draft["status"] = status;
  // Of a feature that is off.
  if (!present(old, "nodeAllocatableResourceClaimStatuses"))
    delete status["nodeAllocatableResourceClaimStatuses"];
  if (text(status, "qosClass") === "") copyField(status, old, "qosClass");
  if (count64(status, "observedGeneration") === 0) copyField(status, old, "observedGeneration");
  const generations = new Map<string, unknown[]>();
  for (const condition of items(old, "conditions")) {
    const type = text(condition, "type");
    generations.set(type, [...(generations.get(type) ?? []), condition["observedGeneration"]]);
  }
  for (const condition of items(status, "conditions")) {
    const known = generations.get(text(condition, "type"))?.shift();
    if (count64(condition, "observedGeneration") === 0 && known !== undefined) {
      condition["observedGeneration"] = known;
    }
  }
}

/** podIP and the first of podIPs are one field in two forms: the older one counts. */
function alignAddresses(status: Json | undefined): void {
  if (status === undefined) return;
  const ip = text(status, "podIP");
  const [first] = items(status, "podIPs");
  if (ip !== "" && text(first, "ip") !== ip) status["podIPs"] = [{ ip }];
  else if (ip === "" && first !== undefined) status["podIP"] = text(first, "ip");
}

function keepAll(draft: Draft, before: Json): void {
  copyField(draft, before, "spec");
  copyField(draft, before, "status");
  keepMetadata(draft, before, "all");
}

/** Containers that do not line up with those before stay as they are: validation refuses them. */
function keepAllButResources(draft: Draft, before: Json): void {
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  const keys = ["containers", "initContainers"] as const;
  const lineUp = keys.every((key) => {
    const names = items(spec, key).map((container) => text(container, "name"));
    const oldNames = items(old, key).map((container) => text(container, "name"));
    return names.join() === oldNames.join();
  });
  if (!lineUp) return;
  const podResources = spec["resources"];
  const containers = keys.map((key) => items(spec, key));
  keepAll(draft, before);
  const kept = specOf(draft);
  if (podResources !== undefined) kept["resources"] = podResources;
  for (const [index, key] of keys.entries()) {
    for (const [at, container] of items(kept, key).entries()) {
      const source = containers[index]?.[at] ?? {};
      copyField(container, source, "resources");
      copyField(container, source, "resizePolicy");
    }
  }
}

/** What holds for every pod, new or changed. */
function validateBoth(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const podName = text(draft.metadata, "name");
  validatePodAnnotations(stringMap(draft.metadata, "annotations"), spec, "metadata.annotations", errors);
  validatePodSpec(spec, "spec", { isPod: true, podName }, errors);
  if (text(spec, "serviceAccountName") === "") forbidTokens(spec, errors);
  for (const key of ["containers", "initContainers"]) {
    for (const [index, container] of items(spec, key).entries()) {
      validateImageSpaces(container, `spec.${key}[${index}]`, errors);
    }
  }
}

function forbidTokens(spec: Json, errors: FieldErrors): void {
  for (const [index, volume] of items(spec, "volumes").entries()) {
    for (const [at, source] of items(child(volume, "projected"), "sources").entries()) {
      if (!present(source, "serviceAccountToken")) continue;
      errors.forbidden(
        `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`,
        "must not be specified when serviceAccountName is not set",
      );
    }
  }
}

function validate(draft: Draft, errors: FieldErrors): void {
  validateBoth(draft, errors);
  const spec = specOf(draft);
  if (items(spec, "ephemeralContainers").length > 0) {
    errors.forbidden("spec.ephemeralContainers", "cannot be set on create");
  }
  if (text(spec, "nodeName") !== "" && items(spec, "schedulingGates").length > 0) {
    errors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

function validateUpdate(draft: Draft, before: Json, subresource: string, errors: FieldErrors): void {
  // What a binding may change is the server's to check: it sets the node, and nothing else of the spec.
  if (subresource === "binding") return;
  validateBoth(draft, errors);
  if (subresource === "resize") {
    validatePodResize(draft, before, errors);
    return;
  }
  if (subresource === "ephemeralcontainers") validateEphemeralContainersUpdate(draft, before, errors);
  else validatePodChange(draft, before, errors);
}

function statusWarnings(draft: Draft, subresource: string): readonly string[] {
  if (subresource !== "status") return [];
  return ["podIPs", "hostIPs"].flatMap((key) =>
    items(child(draft, "status"), key).flatMap((address, index) =>
      ipWarnings(`status.${key}[${index}].ip`, text(address, "ip")),
    ),
  );
}

const rules: KindSpec = {
  // upstream: nobody is told of updates, which are made by programs.
  warnings: (draft, before, subresource) =>
    before === undefined
      ? [...hostnameWarnings(draft, before, "the Pod's hostname"), ...podWarnings(draft)]
      : statusWarnings(draft, subresource),
  statusKeepsMetadata: ["deletionTimestamp", "ownerReferences"],
  setDefaults(draft) {
    const spec = specOf(draft);
    setPodSpecDefaults(spec);
    setPodDefaults(spec);
    alignAddresses(child(draft, "status"));
    // upstream: pkg/apis/core/v1/conversion.go, for pods and not for templates.
    if ((int64(spec, "terminationGracePeriodSeconds") ?? 0) < 0) spec["terminationGracePeriodSeconds"] = 1;
  },
  // prepareForCreate makes a new one, and looks at what was given for that.
  keepsStatusOnCreate: true,
  prepareForCreate: (draft, { nowMs }) => prepareForCreate(draft, nowMs),
  prepareForUpdate: (draft, before, { subresource }) => prepareForUpdate(draft, before, subresource),
  validate,
  validateUpdate: (draft, before, errors, { subresource }) =>
    validateUpdate(draft, before, subresource, errors),
  validateStatus: validatePodStatus,
  selectableFields(object) {
    const pod = asJson(object);
    const spec = child(pod, "spec");
    const status = child(pod, "status");
    return {
      "spec.nodeName": text(spec, "nodeName"),
      "spec.restartPolicy": text(spec, "restartPolicy"),
      "spec.schedulerName": text(spec, "schedulerName"),
      "spec.serviceAccountName": text(spec, "serviceAccountName"),
      "spec.hostNetwork": String(flag(spec, "hostNetwork")),
      "status.phase": text(status, "phase"),
      "status.podIP": text(items(status, "podIPs")[0], "ip"),
      "status.nominatedNodeName": text(status, "nominatedNodeName"),
    };
  },
  deletionGraceSeconds(object, requested) {
    const pod = asJson(object);
    const spec = child(pod, "spec");
    const phase = text(child(pod, "status"), "phase");
    if (text(spec, "nodeName") === "" || phase === "Failed" || phase === "Succeeded") return 0;
    const seconds = requested ?? int64(spec, "terminationGracePeriodSeconds") ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  columns: podColumns,
};

export const podKinds = [defineKind(resources.pods, rules)];
