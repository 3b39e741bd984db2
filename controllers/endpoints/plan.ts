import type { Labels } from "../../pkg/api/labels.ts";
import type { Steps } from "../../pkg/api/steps.ts";
import type { EndpointAddress, Endpoints, EndpointSubset } from "../../pkg/api/types/core-v1.gen.ts";
import {
  HEADLESS_LABEL,
  hasClusterIp,
  sameLabels,
  TRIGGER_TIME_ANNOTATION,
  type BackingPod,
  type BackedService,
} from "../../pkg/endpoints/backing-pods.ts";
import { subsetText } from "../../pkg/endpoints/go-text.ts";
import { repackSubsets } from "../../pkg/endpoints/repack-subsets.ts";
import { OVER_CAPACITY_ANNOTATION, truncate } from "./capacity.ts";
import { desiredSubsets } from "./desired-subsets.ts";
import type { Stored } from "../../pkg/api/object.ts";

const MANAGED_BY_LABEL = "endpoints.kubernetes.io/managed-by";
export const CONTROLLER_NAME = "endpoint-controller";

export interface EndpointsView {
  readonly service: Stored<BackedService>;
  readonly pods: readonly Stored<BackingPod>[];
  readonly current: Endpoints | undefined;
  readonly triggerTime: string | undefined;
}

export type EndpointsPlan =
  | { readonly action: "none" }
  | { readonly action: "create" | "update"; readonly endpoints: Endpoints };

export function isWrittenHere({ metadata }: Endpoints): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] === CONTROLLER_NAME;
}

/** What the Endpoints of a Service should be. They are written only when they would say something else. */
export function* decideEndpoints({
  service,
  pods,
  current,
  triggerTime,
}: EndpointsView): Steps<EndpointsPlan> {
  const { subsets, truncated } = truncate(yield* desiredSubsets(service, pods));
  yield;
  if (current !== undefined && isRight(current, service, subsets, truncated)) return { action: "none" };
  const { name, namespace } = service.metadata;
  const annotations = annotationsFor(current, triggerTime, truncated);
  const { annotations: _, ...metadata } = current?.metadata ?? { name, namespace };
  const endpoints: Endpoints = {
    ...(current ?? { apiVersion: "v1", kind: "Endpoints" }),
    metadata: {
      ...metadata,
      labels: labelsFor(service),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    subsets,
  };
  return { action: current === undefined ? "create" : "update", endpoints };
}

function isRight(
  current: Endpoints,
  service: BackedService,
  subsets: readonly EndpointSubset[],
  truncated: boolean,
): boolean {
  const written = current.subsets ?? [];
  const marked = current.metadata.annotations?.[OVER_CAPACITY_ANNOTATION];
  return (
    marked === (truncated ? "truncated" : undefined) &&
    labelsAreRight(current.metadata.labels ?? {}, service.metadata.labels ?? {}) &&
    // Others may write them in another order.
    (sameSubsets(written, subsets) || sameSubsets(repackSubsets(written), subsets))
  );
}

/** The resourceVersions of pods do not count. */
function sameSubsets(one: readonly EndpointSubset[], other: readonly EndpointSubset[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((subset, index) => textOf(subset) === textOf(other[index] ?? {}));
}

function textOf({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string {
  const unversioned = (address: EndpointAddress): EndpointAddress =>
    address.targetRef === undefined
      ? address
      : { ...address, targetRef: { ...address.targetRef, resourceVersion: "" } };
  return subsetText({
    addresses: addresses.map(unversioned),
    notReadyAddresses: notReadyAddresses.map(unversioned),
    ports,
  });
}

/**
 * The labels of the Service, and ours. The one for headless Services is not compared: it alone is no reason to write, as
 * older versions did not set it on Endpoints that were right otherwise.
 */
export function labelsAreRight(labels: Labels, serviceLabels: Labels): boolean {
  const { [MANAGED_BY_LABEL]: managedBy, [HEADLESS_LABEL]: _, ...others } = labels;
  return managedBy === CONTROLLER_NAME && sameLabels(others, serviceLabels);
}

function labelsFor(service: BackedService): Labels {
  const { [HEADLESS_LABEL]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(!hasClusterIp(service) && { [HEADLESS_LABEL]: "" }),
    [MANAGED_BY_LABEL]: CONTROLLER_NAME,
  };
}

function annotationsFor(
  current: Endpoints | undefined,
  triggerTime: string | undefined,
  truncated: boolean,
): Labels {
  const { annotations = {} } = current?.metadata ?? {};
  const { [TRIGGER_TIME_ANNOTATION]: _, [OVER_CAPACITY_ANNOTATION]: __, ...others } = annotations;
  return {
    ...others,
    ...(triggerTime !== undefined && { [TRIGGER_TIME_ANNOTATION]: triggerTime }),
    ...(truncated && { [OVER_CAPACITY_ANNOTATION]: "truncated" }),
  };
}
