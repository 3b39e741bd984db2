import { resources } from "../../../pkg/api/resources.ts";
import type { Node } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Cidr, overlap, parseCidr } from "../../../pkg/endpoints/cidr.ts";
import { BUCKETS } from "../world/history.ts";
import { objectsIn } from "../world/objects.ts";
import { NODE_MASK_IPV4, NODE_MASK_IPV6, type NodeSettings } from "../world/node-settings.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { rangesOf } from "./node-facts.ts";
import type { Write } from "./write.ts";

/** No range of pods' addresses is given to two nodes, nor one that is not for nodes. */
export class RangeSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** When users gave nodes the ranges that they have, by uid. */
  readonly #givenMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    world.server.parts.store.subscribe(BUCKETS["nodes"] ?? "", ({ type, object }) => {
      if (type === "ADDED" && rangesOf(object).length > 0)
        this.#givenMs.set(object.metadata.uid ?? "", world.clock.monotonicMs());
    });
  }

  judge({ bucket, event, process, line }: Write): void {
    const world = this.#world;
    const { nodeSettings } = world;
    if (bucket !== BUCKETS["nodes"] || nodeSettings === undefined) return;
    const node: Node = event.object;
    const given = rangesOf(node);
    if (given.length === 0 || rangesOf(event.previous ?? { metadata: {} }).length > 0) return;
    const what = `${line}: ${node.spec?.podCIDRs?.join()}`;
    const horizonMs = this.#beliefs.horizonMs(process, ["nodes"]);
    for (const other of objectsIn<Node>(world.server.parts.store, resources.nodes)) {
      const { uid = "", name } = other.metadata;
      if (uid === node.metadata.uid || !haveCommon(given, rangesOf(other))) continue;
      if ((this.#givenMs.get(uid) ?? 0) < horizonMs) world.violate(`${what} is what ${name} has`);
    }
    if (!areForNodes(given, nodeSettings)) world.violate(`${what} is not for nodes`);
  }
}

export function haveCommon(some: readonly Cidr[], others: readonly Cidr[]): boolean {
  return some.some((one) => others.some((other) => one.family === other.family && overlap(one, other)));
}

function areForNodes(ranges: readonly Cidr[], settings: NodeSettings): boolean {
  const clusters = settings.clusterCidr.split(",").flatMap((text) => parseCidr(text) ?? []);
  const services = [settings.serviceClusterIpRange].flatMap((text) => parseCidr(text) ?? []);
  const isWithin = (range: Cidr, index: number): boolean => {
    const cluster = clusters[index];
    const length = range.family === "IPv4" ? NODE_MASK_IPV4 : NODE_MASK_IPV6;
    return cluster?.family === range.family && overlap(cluster, range) && range.length === length;
  };
  return ranges.length === clusters.length && ranges.every(isWithin) && !haveCommon(ranges, services);
}
