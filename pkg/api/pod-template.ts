import { dnsSubdomainProblems } from "./names.ts";
import type { OwnerReference, StoredObject } from "./object.ts";
import { resources } from "./resources.ts";
import type { Pod, PodTemplateSpec } from "./types/core-v1.gen.ts";

/** The pod that a template describes, managed by `controller`; the server completes the name. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: StoredObject,
  controller: OwnerReference,
  generateName = podNamePrefix(owner.metadata.name),
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: resources.pods.kind,
    metadata: {
      generateName,
      ...(owner.metadata.namespace !== undefined && { namespace: owner.metadata.namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [controller],
    },
    ...(template.spec && { spec: template.spec }),
  };
}

/** The name and a dash; the bare name when the dash would make it too long for a pod. */
export function podNamePrefix(name: string): string {
  // The server validates a prefix with its last two characters, the dash included, replaced by one letter.
  const masked = `${name.slice(0, -1)}a`;
  return dnsSubdomainProblems(masked).length === 0 ? `${name}-` : name;
}
