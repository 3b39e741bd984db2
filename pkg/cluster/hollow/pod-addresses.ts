import { parseCidr, textOfIp } from "../../endpoints/cidr.ts";
import { podCidr } from "./node-object.ts";

interface Held {
  readonly node: number;
  readonly slot: number;
  readonly range: string;
  readonly address: string;
}

/** Gives each pod of a node an address of its own, and the same one as long as the pod lives. */
export class PodAddresses {
  readonly #byPod = new Map<string, Held>();
  readonly #usedSlots = new Map<number, Set<number>>();

  /** Of the node's range: the one that it has been given, or its own. */
  addressOf(podUid: string, node: number, range = podCidr(node)): string {
    const known = this.#byPod.get(podUid);
    if (known?.node === node) return known.range === range ? known.address : addressIn(range, known.slot);
    const used = this.#usedSlots.get(node) ?? new Set<number>();
    this.#usedSlots.set(node, used);
    let slot = 0;
    while (used.has(slot)) slot++;
    used.add(slot);
    const address = addressIn(range, slot);
    this.#byPod.set(podUid, { node, slot, range, address });
    return address;
  }

  release(podUid: string): void {
    const held = this.#byPod.get(podUid);
    if (held === undefined) return;
    this.#byPod.delete(podUid);
    this.#usedSlots.get(held.node)?.delete(held.slot);
  }
}

/** The first address of a range is nobody's. */
function addressIn(range: string, slot: number): string {
  const cidr = parseCidr(range);
  if (cidr === undefined) throw new Error(`a node has a range that is none: ${range}`);
  return textOfIp(cidr.base + BigInt(slot + 1), cidr.family);
}
