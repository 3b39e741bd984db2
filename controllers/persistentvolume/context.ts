import type { Stored } from "../../pkg/api/object.ts";
import { claimKeysOf, CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import { claimOfVolume, VOLUMES_OF_CLAIM } from "../../pkg/api/volumes/claim-facts.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { RecordedWrites, type Writer } from "../../pkg/controller/recorded-writes.ts";
import { CLAIMS_OF_VOLUME, POD_FIELDS, UNBOUND_OF_CLASS, unboundOfClass, volumeOfClaim } from "./fields.ts";
import { FreeVolumes } from "./free-volumes.ts";
import { Holds } from "./holds.ts";
import { LatestVolumes } from "./latest-volumes.ts";
import { collector, OperationTimes } from "./metrics.ts";
import type { RecyclerTemplates, RecyclerTimes } from "./recycler-pod.ts";
import { Operations } from "./sync-operations.ts";
import { WaitingClaims } from "./waiting-claims.ts";

/** Directories of the machine that the program runs on. */
export interface HostPaths {
  /** Makes it, and those that it is in. */
  make(path: string): Promise<void>;
  /** Removes it with all that is in it. What is not there is no failure. */
  remove(path: string): Promise<void>;
}

export interface PersistentVolumeSettings extends RecyclerTimes {
  /** How long what only time can mend waits for the next try. */
  readonly retryPeriodMs: number;
  /** Whether claims are handed to provisioners. */
  readonly provisions: boolean;
  /** Whether directories are provisioned, on clusters of one node. */
  readonly provisionsHostPaths: boolean;
  readonly hostPaths: HostPaths;
  /** Asked once, when the controller is built. */
  readonly recyclerTemplates: () => RecyclerTemplates;
}

/** How keys are woken that no change of an object wakes. */
export interface Wakers {
  readonly claim: (key: string, afterMs?: number) => void;
  readonly volume: (name: string, afterMs?: number) => void;
}

/** All that a sync works with. */
export type PersistentVolumeContext = ReturnType<typeof persistentVolumeContext>;

/** Claims and volumes are written back whole. */
export function persistentVolumeContext(kit: Kit, settings: PersistentVolumeSettings, wake: Wakers) {
  const { client, clock, events, log, metrics, random } = kit.env;
  const claims = kit.reads(resources.persistentVolumeClaims);
  const volumes = kit.reads(resources.persistentVolumes);
  const classes = kit.reads(resources.storageClasses);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  claims.addIndex(CLAIMS_OF_VOLUME, volumeOfClaim);
  claims.addIndex(UNBOUND_OF_CLASS, unboundOfClass);
  volumes.addIndex(VOLUMES_OF_CLAIM, claimOfVolume);
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  const [free, latest] = [new FreeVolumes(), new LatestVolumes()];
  const ofVolumes = kit.newConsistency();
  const volumeWrites = new VolumeWrites({ env: kit.env, consistency: ofVolumes }, (answer) => {
    const { name } = answer.metadata;
    const cached = volumes.lister.get(undefined, name);
    latest.wrote(answer, cached);
    const known = latest.of(name, cached);
    if (known !== undefined) free.show(known);
  });
  return {
    settings,
    recyclerTemplates: settings.recyclerTemplates(),
    wake,
    claims,
    volumes,
    classes,
    pods,
    nodes: kit.reads(resources.nodes, { fields: [] }),
    free,
    latest,
    waiting: new WaitingClaims(),
    holds: new Holds(),
    operations: new Operations(clock, log),
    times: new OperationTimes(clock, metrics),
    collector: collector(metrics),
    retroactive: {
      all: metrics.counter({
        name: "retroactive_storageclass_total",
        help: "Claims that have got the default class after they were made, or could not.",
        stability: "ALPHA",
      }),
      errors: metrics.counter({
        name: "retroactive_storageclass_errors_total",
        help: "Claims that could not be given the default class.",
        stability: "ALPHA",
      }),
    },
    ofVolumes,
    claimWrites: kit.writes(resources.persistentVolumeClaims),
    volumeWrites,
    podWrites: kit.writes(resources.pods),
    claimClient: client.clientFor(resources.persistentVolumeClaims),
    volumeClient: client.clientFor(resources.persistentVolumes),
    podClient: client.clientFor(resources.pods),
    eventClient: client.clientFor(resources.events),
    clock,
    events,
    random,
    log,
  };
}

/** The volume of the name, as new as it is known. */
export function volumeNamed(
  { volumes, latest }: PersistentVolumeContext,
  name: string,
): Stored<PersistentVolume> | undefined {
  return latest.of(name, volumes.lister.get(undefined, name));
}

/** A volume that nobody has is offered to a claim that waits for one, if there is such a claim. */
export function offerIfFree(
  { free, waiting }: PersistentVolumeContext,
  name: string,
  wake: (claimKey: string) => void,
): void {
  const volume = free.get(name);
  const key = volume && waiting.offer(volume);
  if (key !== undefined) wake(key);
}

/** Writes of volumes: their own syncs wait for the cache, and claims that look for a volume see them at once. */
class VolumeWrites extends RecordedWrites<PersistentVolume> {
  readonly #onWrite: (answer: Stored<PersistentVolume>) => void;

  constructor(
    kit: ConstructorParameters<typeof RecordedWrites>[0],
    onWrite: (answer: Stored<PersistentVolume>) => void,
  ) {
    super(kit, resources.persistentVolumes);
    this.#onWrite = onWrite;
  }

  protected override wrote(writer: Writer, answer: Stored<PersistentVolume>): Stored<PersistentVolume> {
    this.#onWrite(answer);
    return super.wrote(writer, answer);
  }
}
