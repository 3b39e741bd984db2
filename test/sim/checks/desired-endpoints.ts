import { isPodReady, isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { MOST_ENDPOINTS } from "../world/controllers.ts";
import { objectsIn } from "../world/objects.ts";
import type { Differences } from "./differences.ts";

const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLER = "endpointslice-controller.k8s.io";
const MIRRORING = "endpointslicemirroring-controller.k8s.io";

/** What slices and Endpoints at rest should say: what the pods are that a Service selects, or what users have written. */
export function checkEndpoints(found: Differences, store: Store, pods: readonly Pod[]): void {
  const services = objectsIn<Service>(store, resources.services);
  const slices = objectsIn<EndpointSlice>(store, resources.endpointSlices);
  const endpoints = objectsIn<Endpoints>(store, resources.endpoints);
  for (const slice of slices) {
    const count = slice.endpoints?.length ?? 0;
    // Mirrored ones have a limit of their own, which nothing here reaches.
    if (slice.metadata.labels?.[MANAGED_BY] === CONTROLLER && count > MOST_ENDPOINTS)
      found.add(slice, `has ${count} endpoints, more than ${MOST_ENDPOINTS}`);
  }
  for (const service of services) {
    const mine = slices.filter((slice) => sameName(service, slice, slice.metadata.labels?.[SERVICE_NAME]));
    const managed = (by: string): readonly EndpointSlice[] =>
      mine.filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === by);
    const written = endpoints.find((one) => sameName(service, one, one.metadata.name));
    const { selector } = service.spec ?? {};
    if (selector === undefined) {
      found.compare(service, "mirrored addresses", inSlices(managed(MIRRORING)), inEndpoints(written));
      continue;
    }
    const wanted = backing(service, selector, pods);
    found.compare(service, "addresses in slices", inSlices(managed(CONTROLLER)), wanted);
    found.compare(service, "mirrored slices", managed(MIRRORING).length, 0);
    // Endpoints leave out pods that are going away.
    found.compare(service, "addresses in Endpoints", inEndpoints(written), wanted);
    for (const slice of managed(CONTROLLER)) checkTargets(found, slice, selector, pods);
  }
}

function checkTargets(
  found: Differences,
  slice: EndpointSlice,
  selector: Readonly<Record<string, string>>,
  pods: readonly Pod[],
): void {
  for (const { targetRef } of slice.endpoints ?? []) {
    const pod = pods.find(({ metadata }) => metadata.uid === targetRef?.uid);
    if (pod === undefined || !matches(selector, pod))
      found.add(slice, `names ${targetRef?.name}, which its Service does not select`);
  }
}

/** "address port ready", in order. */
function backing(
  { metadata, spec }: Service,
  selector: Readonly<Record<string, string>>,
  pods: readonly Pod[],
): readonly string[] {
  const port = spec?.ports?.[0]?.targetPort;
  return pods
    .filter((pod) => pod.metadata.namespace === metadata.namespace && matches(selector, pod))
    .filter((pod) => !isPodTerminal(pod) && pod.status?.podIP !== undefined)
    .map((pod) => {
      const isReady = spec?.publishNotReadyAddresses === true || isPodReady(pod);
      return `${pod.status?.podIP} ${String(port)} ${isReady}`;
    })
    .toSorted();
}

function inSlices(slices: readonly EndpointSlice[]): readonly string[] {
  return slices
    .flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).map(
        ({ addresses, conditions }) => `${addresses[0]} ${ports?.[0]?.port} ${conditions?.ready !== false}`,
      ),
    )
    .toSorted();
}

function inEndpoints(endpoints: Endpoints | undefined): readonly string[] {
  return (endpoints?.subsets ?? [])
    .flatMap(({ addresses = [], notReadyAddresses = [], ports }) => [
      ...addresses.map(({ ip }) => `${ip} ${ports?.[0]?.port} true`),
      ...notReadyAddresses.map(({ ip }) => `${ip} ${ports?.[0]?.port} false`),
    ])
    .toSorted();
}

function matches(selector: Readonly<Record<string, string>>, { metadata }: Pod): boolean {
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

function sameName(
  service: Service,
  { metadata }: Service | EndpointSlice,
  name: string | undefined,
): boolean {
  return service.metadata.namespace === metadata.namespace && service.metadata.name === name;
}
