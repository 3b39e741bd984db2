import { podAddress } from "./node-object.ts";

/** Gives each pod of a node an address of its own, and the same one as long as the pod lives. */
export class PodAddresses {
  readonly #byPod = new Map<string, { readonly node: number; readonly slot: number }>();
  readonly #usedSlots = new Map<number, Set<number>>();

  addressOf(podUid: string, node: number): string {
    const known = this.#byPod.get(podUid);
    if (known?.node === node) return podAddress(node, known.slot);
    const used = this.#usedSlots.get(node) ?? new Set<number>();
    this.#usedSlots.set(node, used);
    let slot = 0;
    while (used.has(slot)) slot++;
    used.add(slot);
    this.#byPod.set(podUid, { node, slot });
    return podAddress(node, slot);
  }

  release(podUid: string): void {
    const held = this.#byPod.get(podUid);
    if (held === undefined) return;
    this.#byPod.delete(podUid);
    this.#usedSlots.get(held.node)?.delete(held.slot);
  }
}
