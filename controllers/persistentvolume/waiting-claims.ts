import type { LabelSelector } from "../../pkg/api/labels.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { Quantity } from "../../pkg/api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { capacityOf, requestOf } from "../../pkg/api/volumes/fit.ts";
import { selectorOf } from "./free-volumes.ts";
import { includesModes, modesOf, type Place, placeOf, VolumeGroups } from "./volume-groups.ts";

interface Entry {
  readonly name: string;
  readonly size: Quantity;
  readonly selector: LabelSelector;
  readonly place: Place;
}

/**
 * Claims for which there was no volume. One that becomes free is offered to one of them, so that thousands of volumes
 * wake as many claims, and not each all of them.
 */
export class WaitingClaims {
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new VolumeGroups<Entry>();
  /** Names of the volumes that were offered, by the claim. */
  readonly #offers = new Map<string, string[]>();

  add(claim: Stored<PersistentVolumeClaim>): void {
    const name = keyOf(claim);
    this.remove(name);
    const entry = { name, size: requestOf(claim), selector: selectorOf(claim), place: placeOf(claim) };
    this.#entries.set(name, entry);
    this.#groups.add(entry.place, entry);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#groups.remove(entry.place, entry);
  }

  /**
   * Offers the volume to a claim that it is for, and gives the key of that: the one that asks for most. It is offered
   * nothing else until it waits again.
   */
  offer(volume: Stored<PersistentVolume>): string | undefined {
    const entry = this.#findFor(volume);
    if (entry === undefined) return undefined;
    this.remove(entry.name);
    const offers = this.#offers.get(entry.name) ?? [];
    this.#offers.set(entry.name, [...offers, volume.metadata.name]);
    return entry.name;
  }

  /** Names of the volumes that the claim was offered. It has looked at them, or is gone. */
  takeOffers(key: string): readonly string[] {
    const offers = this.#offers.get(key) ?? [];
    this.#offers.delete(key);
    return offers;
  }

  #findFor(volume: Stored<PersistentVolume>): Entry | undefined {
    const place = placeOf(volume);
    const offered = modesOf(place.modes);
    const size = capacityOf(volume);
    let most: Entry | undefined;
    for (const { modes, members } of this.#groups.at(place.key)) {
      if (!includesModes(offered, modes)) continue;
      for (const entry of members.downwards(size)) {
        if (most !== undefined && entry.size.compare(most.size) <= 0) break;
        if (!entry.selector.matches(volume.metadata.labels)) continue;
        most = entry;
        break;
      }
    }
    return most;
  }
}
