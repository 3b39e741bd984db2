import { resources } from "../../api/resources.ts";
import { child, ensure, text } from "../../api/json.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";

const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** A pod bears the zone and the region of its node: when it is bound, or from the start when it names its node. */
export function podTopology(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    mutate(attributes, draft) {
      if (draft === undefined || !isResource(attributes, resources.pods)) return;
      const isCreate = attributes.operation === "CREATE" && attributes.subresource === "";
      if (!isCreate && attributes.subresource !== "binding") return;
      const node = reader.get(resources.nodes, "", text(child(draft, "spec"), "nodeName"));
      for (const label of topologyLabels) {
        const value = node?.metadata.labels?.[label];
        if (value !== undefined) ensure(draft.metadata, "labels")[label] = value;
      }
    },
  };
}
