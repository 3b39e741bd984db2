import { asJson, child, descend, items, strings, text } from "../../api/json.ts";
import { resources } from "../../api/resources.ts";
import { forbidden, type StatusError } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/** A group outlives its deletion for as long as it has pods: a controller takes the finalizer off. */
export const podGroupProtection: AdmissionPlugin = {
  name: "PodGroupProtection",
  mutate(attributes, draft) {
    const group = createdDraft(attributes, resources.podGroups, draft);
    if (group === undefined) return;
    const finalizers = strings(group.metadata, "finalizers");
    if (!finalizers.includes(FINALIZER)) group.metadata["finalizers"] = [...finalizers, FINALIZER];
  },
};

/** A group that is made of a template of a Workload: both must be there. */
export function podGroupWorkload(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "PodGroupWorkloadExists",
    validate(attributes, group) {
      const { operation, subresource, namespace, refusedName } = attributes;
      if (operation !== "CREATE" || subresource !== "" || group === undefined) return;
      if (!isResource(attributes, resources.podGroups)) return;
      const reference = descend(asJson(group), "spec", "podGroupTemplateRef", "workload");
      if (reference === undefined) return;
      const [owner, template] = [text(reference, "workloadName"), text(reference, "podGroupTemplateName")];
      const rejected = (why: string): StatusError =>
        forbidden(resources.podGroups, refusedName, `PodGroup rejected: ${why}`);
      const workload = reader.get(resources.workloads, namespace, owner);
      if (workload === undefined) throw rejected(`Workload "${owner}" not found`);
      if (workload.metadata.deletionTimestamp !== undefined)
        throw rejected(`Workload "${owner}" is being deleted`);
      const templates = items(child(asJson(workload), "spec"), "podGroupTemplates");
      if (!templates.some((each) => text(each, "name") === template))
        throw rejected(`PodGroupTemplate "${template}" not found in Workload "${owner}"`);
    },
  };
}
