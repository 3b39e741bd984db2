import { child, isJson, type Json, asJson, stringMap } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import { resources } from "../../../api/resources.ts";
import type { Container, Pod, PodSpec } from "../../../api/types/core-v1.gen.ts";
import { FieldErrors } from "../../kinds/field-errors.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { forbidden, invalid } from "../../server/status-error.ts";
import { bucketName } from "../../server/served-resource.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { type AdmissionPlugin, isResource } from "../plugin.ts";
import type { CheckedPod } from "./check.ts";
import { describeViolations, violations } from "./evaluate.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { describePolicy, isStricter, type Policy, policyOf, samePolicy } from "./policy.ts";

export interface PodSecurityExemptions {
  readonly users: readonly string[];
  readonly namespaces: readonly string[];
  readonly runtimeClasses: readonly string[];
}

const nobody: PodSecurityExemptions = { users: [], namespaces: [], runtimeClasses: [] };

/** Where objects have their template of pods. */
const templates: Readonly<Record<string, readonly string[]>> = {
  replicationcontrollers: ["spec", "template"],
  podtemplates: ["template"],
  "apps/replicasets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "batch/jobs": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
};

/** Only these bring containers into a pod that is there. */
const podSubresources = new Set(["", "ephemeralcontainers", "resize"]);

/** Pods are as safe as their namespace's labels ask for. Templates are only warned of: their pods are refused later. */
export function podSecurity(
  reader: ClusterReader,
  exemptions: PodSecurityExemptions = nobody,
): AdmissionPlugin {
  return {
    name: "PodSecurity",
    validate(attributes, object) {
      if (object === undefined) return;
      if (attributes.operation !== "CREATE" && attributes.operation !== "UPDATE") return;
      if (isResource(attributes, resources.namespaces)) {
        if (attributes.subresource === "") checkNamespace({ reader, exemptions }, attributes, object);
        return;
      }
      const isPod = isResource(attributes, resources.pods);
      if (isPod ? !podSubresources.has(attributes.subresource) : attributes.subresource !== "") return;
      const pod = isPod ? podOf(attributes, object) : templateOf(attributes, object);
      if (pod === undefined || isExempt(exemptions, attributes, pod.spec)) return;
      const home = reader.get(resources.namespaces, "", attributes.namespace);
      const policy = policyOf(home?.metadata.labels ?? {}, new FieldErrors());
      if (isPod) enforce(attributes, policy, pod);
      warn(attributes, policy, pod);
    },
  };
}

function isExempt(
  { users, namespaces, runtimeClasses }: PodSecurityExemptions,
  { user, namespace }: AdmissionAttributes,
  { runtimeClassName = "" }: PodSpec,
): boolean {
  return (
    users.includes(user.username) ||
    namespaces.includes(namespace) ||
    (runtimeClassName !== "" && runtimeClasses.includes(runtimeClassName))
  );
}

function enforce(
  { resource, refusedName }: AdmissionAttributes,
  { enforce: wanted }: Policy,
  pod: CheckedPod,
): void {
  const found = violations(wanted, pod);
  if (found.length === 0) return;
  const what = `violates PodSecurity "${describePolicy(wanted)}": ${describeViolations(found)}`;
  throw forbidden(resource, refusedName, what);
}

function warn(attributes: AdmissionAttributes, { warn: wanted }: Policy, pod: CheckedPod): void {
  const found = violations(wanted, pod);
  if (found.length === 0) return;
  attributes.warn(`would violate PodSecurity "${describePolicy(wanted)}": ${describeViolations(found)}`);
}

/** Undefined for an update that changes nothing that matters. */
function podOf({ before }: AdmissionAttributes, pod: Pod & ApiObject): CheckedPod | undefined {
  const old: Pod | undefined = before;
  if (old !== undefined && !isSignificant(pod, old)) return undefined;
  return { annotations: pod.metadata.annotations ?? {}, spec: pod.spec ?? { containers: [] } };
}

function isSignificant({ spec }: Pod, { spec: before }: Pod): boolean {
  const images = (containers: readonly Container[] | undefined): readonly (string | undefined)[] =>
    (containers ?? []).map(({ image }) => image);
  const differs = (now: readonly unknown[], then: readonly unknown[]): boolean =>
    now.length !== then.length || now.some((image, index) => image !== then[index]);
  const ephemeral = new Map((before?.ephemeralContainers ?? []).map((one) => [one.name, one]));
  return (
    differs(images(spec?.containers), images(before?.containers)) ||
    differs(images(spec?.initContainers), images(before?.initContainers)) ||
    (spec?.ephemeralContainers ?? []).some(({ name, image }) => {
      const old = ephemeral.get(name);
      return old === undefined || old.image !== image;
    })
  );
}

function templateOf({ resource }: AdmissionAttributes, object: ApiObject): CheckedPod | undefined {
  const path = templates[bucketName(resource.group, resource.plural)];
  if (path === undefined) return undefined;
  let at: Json | undefined = asJson(object);
  for (const key of path) at = at && child(at, key);
  const spec = child(at, "spec");
  if (!isJson(spec)) return undefined;
  return { annotations: stringMap(child(at, "metadata"), "annotations"), spec: spec as unknown as PodSpec };
}

interface NamespaceParts {
  readonly reader: ClusterReader;
  readonly exemptions: PodSecurityExemptions;
}

function checkNamespace(
  { reader, exemptions }: NamespaceParts,
  attributes: AdmissionAttributes,
  { metadata }: ApiObject,
): void {
  const { resource, name, before } = attributes;
  const errors = new FieldErrors();
  const policy = policyOf(metadata.labels ?? {}, errors);
  const oldErrors = new FieldErrors();
  const old = before && policyOf(before.metadata.labels ?? {}, oldErrors);
  // What has been wrong all along may stay so.
  const isNews = JSON.stringify(errors.list) !== JSON.stringify(oldErrors.list);
  if (errors.list.length > 0 && isNews) throw invalid(resource, name, errors.list);
  if (old === undefined || samePolicy(policy.enforce, old.enforce)) return;
  if (policy.enforce.level === "privileged" || exemptions.namespaces.includes(name)) return;
  const isOtherVersion = policy.enforce.version !== old.enforce.version;
  if (!isOtherVersion && !isStricter(policy.enforce.level, old.enforce.level)) return;
  const pods = reader
    .list(resources.pods, name)
    .filter(({ spec }) => !exemptions.runtimeClasses.includes(spec?.runtimeClassName ?? ""));
  for (const warning of existingPodWarnings(name, policy.enforce, pods)) attributes.warn(warning);
}
