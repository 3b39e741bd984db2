import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Labels } from "../../pkg/api/labels.ts";
import type { EndpointPort, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import {
  HEADLESS_LABEL,
  hasClusterIp,
  sameLabels,
  TRIGGER_TIME_ANNOTATION,
} from "../../pkg/endpoints/backing-pods.ts";
import { MANAGED_BY_LABEL, slicePrefix } from "../../pkg/endpoints/slice-name.ts";
import { SERVICE_NAME_LABEL } from "../../pkg/endpoints/slice-tracker.ts";
import type { Family } from "./address-families.ts";
import type { Stored, StoredObject } from "../../pkg/api/object.ts";
import type { CachedService } from "./fields.ts";

export const CONTROLLER_NAME = "endpointslice-controller.k8s.io";
const RESERVED: ReadonlySet<string> = new Set([SERVICE_NAME_LABEL, MANAGED_BY_LABEL, HEADLESS_LABEL]);

/** An empty slice that is yet to get a name. */
export function newSlice(
  service: Stored<CachedService>,
  ports: readonly EndpointPort[],
  family: Family,
): EndpointSlice {
  const { name, namespace } = service.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: slicePrefix(name),
      namespace,
      labels: labelsFor(service),
      ownerReferences: [newControllerRef(service, resources.services)],
    },
    addressType: family,
    endpoints: [],
    ports,
  };
}

/** The Service's own labels, and those by which slices are found. */
export function labelsFor(service: Stored<CachedService>): Labels {
  return {
    ...withoutReserved(service.metadata.labels),
    ...(!hasClusterIp(service) && { [HEADLESS_LABEL]: "" }),
    [SERVICE_NAME_LABEL]: service.metadata.name,
    [MANAGED_BY_LABEL]: CONTROLLER_NAME,
  };
}

/** Whether the Service's own labels have changed since the slice was written. */
export function labelsDiffer(slice: EndpointSlice, service: CachedService): boolean {
  return !sameLabels(withoutReserved(slice.metadata.labels), withoutReserved(service.metadata.labels));
}

function withoutReserved(labels: Labels | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !RESERVED.has(key)));
}

/** Owned by this very Service, not by an earlier one of its name. */
export function isOwnedBy(slice: EndpointSlice, service: StoredObject): boolean {
  const references = slice.metadata.ownerReferences ?? [];
  return references.some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );
}

/** Whether a slice can stay in place of an empty one. A label with no value is as good as none. */
export function servesAsPlaceholder(slice: EndpointSlice, placeholder: EndpointSlice): boolean {
  const labels = slice.metadata.labels ?? {};
  const wanted = placeholder.metadata.labels ?? {};
  const keys = [...Object.keys(labels), ...Object.keys(wanted)];
  return (
    slice.metadata.namespace === placeholder.metadata.namespace &&
    slice.addressType === placeholder.addressType &&
    (slice.endpoints ?? []).length === 0 &&
    (slice.ports ?? []).length === 0 &&
    keys.every((key) => (labels[key] ?? "") === (wanted[key] ?? ""))
  );
}

/** Tells since when what is written has been true; without a time, an earlier one is taken away. */
export function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { annotations, ...metadata } = slice.metadata;
  const { [TRIGGER_TIME_ANNOTATION]: _, ...others } = annotations ?? {};
  const all = triggerTime === undefined ? others : { ...others, [TRIGGER_TIME_ANNOTATION]: triggerTime };
  return { ...slice, metadata: Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all } };
}
