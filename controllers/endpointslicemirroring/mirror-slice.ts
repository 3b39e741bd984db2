import type { Labels } from "../../pkg/api/labels.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { sameLabels, TRIGGER_TIME_ANNOTATION } from "../../pkg/endpoints/backing-pods.ts";
import { MANAGED_BY_LABEL, placeOf, slicePrefix } from "../../pkg/endpoints/slice-name.ts";
import { SERVICE_NAME_LABEL } from "../../pkg/endpoints/slice-tracker.ts";
import type { Group } from "./mirrored-endpoints.ts";
import type { Stored } from "../../pkg/api/object.ts";

export const CONTROLLER_NAME = "endpointslicemirroring-controller.k8s.io";
const SKIP_LABEL = "endpointslice.kubernetes.io/skip-mirror";
const LOCK_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** Endpoints are mirrored unless a label says that they are not, or an annotation that they are a lock. */
export function isMirrored({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean {
  return labels[SKIP_LABEL] !== "true" && annotations[LOCK_ANNOTATION] === undefined;
}

/** The slice that is to take the place of `before`, or a new one. */
export function mirrorSlice(
  endpoints: Stored<Endpoints>,
  { ports, family }: Group,
  content: readonly Endpoint[],
  before: EndpointSlice | undefined,
): EndpointSlice {
  const { name, namespace } = endpoints.metadata;
  const annotations = ownAnnotations(endpoints.metadata.annotations);
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...(before === undefined ? { generateName: slicePrefix(name) } : placeOf(before)),
      namespace,
      labels: {
        ...endpoints.metadata.labels,
        [SERVICE_NAME_LABEL]: name,
        [MANAGED_BY_LABEL]: CONTROLLER_NAME,
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [newControllerRef(endpoints, resources.endpoints)],
    },
    addressType: family,
    endpoints: content,
    ports,
  };
}

/** Whether the slice has the labels and annotations of these very Endpoints. */
export function describes(slice: EndpointSlice, endpoints: Endpoints): boolean {
  const { labels, annotations = {}, ownerReferences = [] } = slice.metadata;
  const { name, uid } = endpoints.metadata;
  const isOfEarlier = ownerReferences.some(
    (owner) => owner.kind === "Endpoints" && owner.name === name && owner.uid !== uid,
  );
  return (
    !isOfEarlier &&
    sameLabels(ownLabels(labels), ownLabels(endpoints.metadata.labels)) &&
    sameLabels(annotations, ownAnnotations(endpoints.metadata.annotations))
  );
}

function ownLabels(labels: Labels = {}): Labels {
  const { [SERVICE_NAME_LABEL]: _, [MANAGED_BY_LABEL]: __, ...own } = labels;
  return own;
}

function ownAnnotations(annotations: Labels = {}): Labels {
  const { [TRIGGER_TIME_ANNOTATION]: _, [LAST_APPLIED_ANNOTATION]: __, ...own } = annotations;
  return own;
}
