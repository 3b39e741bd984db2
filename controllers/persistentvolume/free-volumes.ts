import { everything, type LabelSelector } from "../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Quantity } from "../../pkg/api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { capacityOf, requestOf } from "../../pkg/api/volumes/fit.ts";
import { includesModes, modesOf, type Place, placeOf, VolumeGroups } from "./volume-groups.ts";

type Volume = Stored<PersistentVolume>;

interface Entry {
  readonly name: string;
  readonly size: Quantity;
  readonly volume: Volume;
  readonly place: Place;
}

/** The selector of a claim; one without takes every volume. */
export function selectorOf({ spec }: PersistentVolumeClaim): LabelSelector {
  return spec?.selector === undefined ? everything : selectorFromSpec(spec.selector);
}

/**
 * The volumes that nobody has, in the order in which claims get them: those of a claim's class with the fewest access
 * modes, and of these the smallest. One is found without a look at those that are too small or of another class.
 */
export class FreeVolumes {
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new VolumeGroups<Entry>();
  /** Names of volumes that are about to be somebody's. */
  readonly #reserved = new Set<string>();

  /** The volume is as follows now. */
  show(volume: Volume): void {
    this.forget(volume.metadata.name);
    if (!isFree(volume)) return;
    const { name } = volume.metadata;
    const entry = { name, size: capacityOf(volume), volume, place: placeOf(volume) };
    this.#entries.set(name, entry);
    this.#groups.add(entry.place, entry);
  }

  /** There is no volume of the name any more. */
  forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#groups.remove(entry.place, entry);
  }

  /** Until it is released, no claim finds the volume. */
  reserve(name: string): void {
    this.#reserved.add(name);
  }

  release(name: string): void {
    this.#reserved.delete(name);
  }

  /** The volume of the name, if it is free and not reserved. */
  get(name: string): Volume | undefined {
    return this.#reserved.has(name) ? undefined : this.#entries.get(name)?.volume;
  }

  /** Throws a SelectorError. upstream: pkg/controller/volume/persistentvolume/index.go#findByClaim */
  find(claim: PersistentVolumeClaim): Volume | undefined {
    const place = placeOf(claim);
    const wanted = modesOf(place.modes);
    const [selector, request] = [selectorOf(claim), requestOf(claim)];
    for (const { modes, members } of this.#groups.at(place.key)) {
      if (!includesModes(modes, wanted)) continue;
      for (const { name, volume } of members.upwards(request))
        if (!this.#reserved.has(name) && selector.matches(volume.metadata.labels)) return volume;
    }
    return undefined;
  }
}

function isFree({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    spec?.claimRef === undefined && status?.phase === "Available" && metadata.deletionTimestamp === undefined
  );
}
