import { isPodReady, isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import { MOST_ENDPOINTS } from "../world/controllers.ts";
import { BUCKETS } from "../world/history.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { RecentObjects } from "./recent-objects.ts";
import { stateAfter, type Write } from "./write.ts";

const SLICES = "endpointslice-controller";
const ENDPOINTS = "endpoint-controller";
const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const KINDS = ["pods", "services", "nodes", "endpoints", "endpointslices"];

/** What slices or Endpoints say of one pod. */
interface Said {
  readonly uid: string;
  readonly address: string;
  readonly port: number | undefined;
  readonly isReady: boolean;
  /** In a slice, or in Endpoints. */
  readonly isSlice: boolean;
}

/** What is published of a Service is what its pods were a moment ago: none that had gone, none ready that was not. */
export class ServiceSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** By namespace and name. */
  readonly #services: RecentObjects<Service>;
  /** By uid. */
  readonly #pods: RecentObjects<Pod>;
  readonly #slices: RecentObjects<EndpointSlice>;
  /** By whom slices were last written, and when; those whose writer may not know that are left out. */
  readonly #writers = new Map<string, { readonly process: string; readonly atMs: number }>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#services = new RecentObjects(
      world,
      bucket("services"),
      ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
    );
    this.#pods = new RecentObjects(world, bucket("pods"), ({ metadata }) => metadata.uid ?? "");
    this.#slices = new RecentObjects(world, bucket("endpointslices"), ({ metadata }) => metadata.uid ?? "");
    world.server.parts.store.subscribe(bucket("endpointslices"), ({ object }) => {
      this.#writers.delete(object.metadata.uid ?? "");
    });
  }

  judge(write: Write): void {
    const { client, event, process, ambiguous } = write;
    const after = stateAfter(event);
    if (after === undefined) return;
    const horizonMs = this.#beliefs.horizonMs(process, KINDS);
    if (client === SLICES && write.bucket === bucket("endpointslices")) {
      this.#checkSlice(after as EndpointSlice, horizonMs, write);
      const atMs = this.#world.clock.monotonicMs();
      if (!ambiguous) this.#writers.set(after.metadata.uid ?? "", { process: process.name, atMs });
    } else if (client === ENDPOINTS && write.bucket === bucket("endpoints"))
      this.#checkEndpoints(after, horizonMs, write);
  }

  #checkSlice(slice: EndpointSlice, horizonMs: number, write: Write): void {
    const { metadata, ports } = slice;
    // Of an empty list the API makes null.
    const endpoints = slice.endpoints ?? [];
    const what = `${write.line} ${metadata.name}`;
    if (endpoints.length > MOST_ENDPOINTS)
      this.#world.violate(`${what}: has ${endpoints.length} endpoints, more than ${MOST_ENDPOINTS}`);
    const service = `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`;
    for (const { addresses, conditions, targetRef } of endpoints) {
      const said = {
        uid: targetRef?.uid ?? "",
        address: addresses[0] ?? "",
        port: ports?.[0]?.port,
        isReady: conditions?.ready !== false,
        isSlice: true,
      };
      this.#checkSaid(said, service, horizonMs, what);
      const other = this.#otherSliceWith(said, slice, horizonMs, write);
      if (other !== undefined)
        this.#world.violate(`${what}: says ${said.address}, as ${other.metadata.name} does already`);
    }
  }

  /** Another one that has said the same for so long that whoever writes must know it. */
  #otherSliceWith(
    { uid, port }: Said,
    slice: EndpointSlice,
    horizonMs: number,
    { process }: Write,
  ): EndpointSlice | undefined {
    const { store } = this.#world.server.parts;
    const says = (one: EndpointSlice | undefined): boolean =>
      one?.ports?.[0]?.port === port &&
      one?.endpoints?.some(({ targetRef }) => targetRef?.uid === uid) === true;
    return objectsIn<EndpointSlice>(store, resources.endpointSlices).find((other) => {
      const key = other.metadata.uid ?? "";
      if (key === slice.metadata.uid || other.metadata.namespace !== slice.metadata.namespace) return false;
      const isSame = [SERVICE_NAME, MANAGED_BY].every(
        (label) => other.metadata.labels?.[label] === slice.metadata.labels?.[label],
      );
      const owners = [other, slice].map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
      if (!isSame || owners[0] !== owners[1] || other.metadata.deletionTimestamp !== undefined) return false;
      const writer = this.#writers.get(key);
      // What it wrote itself in an earlier sync it knows, whatever its cache has been shown.
      const isOwn = writer?.process === process.name && writer.atMs < this.#beliefs.begunMs();
      return says(other) && (isOwn || this.#slices.since(key, horizonMs).every(says));
    });
  }

  #checkEndpoints(endpoints: Endpoints, horizonMs: number, { line }: Write): void {
    const { metadata } = endpoints;
    const subsets = endpoints.subsets ?? [];
    const what = `${line} ${metadata.name}`;
    const service = `${metadata.namespace}/${metadata.name}`;
    const said = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports }) =>
      [...addresses, ...notReadyAddresses].map(({ ip, targetRef }, index) => ({
        uid: targetRef?.uid ?? "",
        address: ip,
        port: ports?.[0]?.port,
        isReady: index < addresses.length,
        isSlice: false,
      })),
    );
    for (const one of said) this.#checkSaid(one, service, horizonMs, what);
    const versions = this.#services.since(service, horizonMs);
    for (const pod of podsIn(this.#world.server.parts.store)) {
      if (said.some(({ uid }) => uid === pod.metadata.uid)) continue;
      const states = this.#pods.since(pod.metadata.uid ?? "", horizonMs);
      const belongs = versions.every((version) => states.every((state) => backs(state, version, false)));
      if (belongs) this.#world.violate(`${what}: leaves out ${pod.metadata.name}`);
    }
  }

  /** Some state of the pod, and some version of the Service, say the same. */
  #checkSaid(said: Said, service: string, horizonMs: number, what: string): void {
    const versions = this.#services.since(service, horizonMs);
    const states = this.#pods.since(said.uid, horizonMs);
    const { isSlice } = said;
    const isExplained = versions.some((version) =>
      states.some(
        (pod) =>
          backs(pod, version, isSlice) &&
          pod?.status?.podIP === said.address &&
          version?.spec?.ports?.[0]?.targetPort === said.port &&
          isReadyFor(pod, version, isSlice) === said.isReady,
      ),
    );
    if (isExplained) return;
    const { address, port, isReady } = said;
    this.#world.violate(`${what}: says ${address}:${port} ${isReady ? "is" : "is not"} ready`);
  }
}

/** Endpoints leave out pods that are being deleted, unless the Service wants all; slices say of them that they are. */
function backs(pod: Pod | undefined, service: Service | undefined, isSlice: boolean): boolean {
  const { selector, publishNotReadyAddresses } = service?.spec ?? {};
  if (pod === undefined || service === undefined || selector === undefined) return false;
  return (
    pod.metadata.namespace === service.metadata.namespace &&
    Object.entries(selector).every(([key, value]) => pod.metadata.labels?.[key] === value) &&
    !isPodTerminal(pod) &&
    pod.status?.podIP !== undefined &&
    (isSlice || publishNotReadyAddresses === true || pod.metadata.deletionTimestamp === undefined)
  );
}

function isReadyFor(pod: Pod | undefined, service: Service | undefined, isSlice: boolean): boolean {
  if (service?.spec?.publishNotReadyAddresses === true) return true;
  if (pod === undefined || (isSlice && pod.metadata.deletionTimestamp !== undefined)) return false;
  return isPodReady(pod);
}

function bucket(plural: string): string {
  return BUCKETS[plural] ?? plural;
}
