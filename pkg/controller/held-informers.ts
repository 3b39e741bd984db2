import type { PartialObject } from "../api/object.ts";
import type { SharedInformer } from "../cache/informer/informer.ts";
import type { Informers } from "../cache/informer/informer-factory.ts";

/** The informers of one controller, all of which can be given back when it goes before the others. */
export interface HeldInformers extends Informers {
  releaseAll(): Promise<void>;
}

export function heldInformers(informers: Informers): HeldInformers {
  const held: SharedInformer[] = [];
  const keep = <T extends PartialObject>(informer: SharedInformer<T>): SharedInformer<T> => {
    held.push(informer);
    return informer;
  };
  return {
    informer: (resource, options) => keep(informers.informer(resource, options)),
    metadataInformer: (resource, options) => keep(informers.metadataInformer(resource, options)),
    start: (signal) => informers.start(signal),
    release: async (informer) => {
      const index = held.indexOf(informer);
      if (index >= 0) held.splice(index, 1);
      await informers.release(informer);
    },
    releaseAll: async () => {
      await Promise.all(held.splice(0).map(async (informer) => informers.release(informer)));
    },
  };
}
