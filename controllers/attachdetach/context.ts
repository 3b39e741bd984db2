import { claimKeysOf, CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { NODE_INDEX, podNode } from "../../pkg/controller/pods-on-node.ts";
import { AttachedWorld } from "./attached-world.ts";
import { DesiredWorld } from "./desired-world.ts";
import {
  ATTACHMENT_FIELDS,
  CLAIM_FIELDS,
  DRIVER_FIELDS,
  NODE_FIELDS,
  POD_FIELDS,
  VOLUME_FIELDS,
  type CachedVolume,
} from "./fields.ts";
import { attachDetachMetrics } from "./metrics.ts";
import { NodeReports } from "./node-reports.ts";
import { Operations } from "./operations.ts";
import { VOLUMES_INDEX, volumesIndex } from "./pod-volumes.ts";
import { KeySets } from "./volume-key.ts";
import type { Lookups } from "./volume-spec.ts";

export interface AttachDetachSettings {
  /** Volumes that somebody else has detached are noticed. */
  readonly isCompared: boolean;
  /** Volumes are not detached by force, however long a node that is not ready has had. */
  readonly disableForceDetachOnTimeout: boolean;
}

/** Name of the index of PersistentVolumes by their driver. */
export const DRIVER_INDEX = "attachdetach-driver";

/** Who is to look again at what. */
export interface Wakers {
  /** A volume on a node. */
  readonly volume: (key: string) => void;
  /** The status of a node. */
  readonly node: (name: string) => void;
  /** Pods of a claim. */
  readonly claim: (key: string) => void;
}

/** All that the syncs of this controller work with. */
export type AttachDetachContext = ReturnType<typeof attachDetachContext>;

export function attachDetachContext(kit: Kit, settings: AttachDetachSettings, wakers: Wakers) {
  const { client, clock, events, log, metrics } = kit.env;
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(NODE_INDEX, podNode);
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  pods.addIndex(VOLUMES_INDEX, volumesIndex);
  const claims = kit.reads(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS });
  const volumes = kit.reads(resources.persistentVolumes, { fields: VOLUME_FIELDS });
  volumes.addIndex(DRIVER_INDEX, driverOf);
  const lookups: Lookups = {
    claim: (namespace, name) => claims.lister.get(namespace, name),
    volume: (name) => volumes.lister.get(undefined, name),
  };
  return {
    settings,
    wakers,
    pods,
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    claims,
    volumes,
    drivers: kit.reads(resources.csiDrivers, { fields: DRIVER_FIELDS }),
    attachments: kit.reads(resources.volumeAttachments, { fields: ATTACHMENT_FIELDS }),
    lookups,
    nodeClient: client.clientFor(resources.nodes),
    attachmentClient: client.clientFor(resources.volumeAttachments),
    desired: new DesiredWorld(),
    attached: new AttachedWorld(),
    operations: new Operations(),
    reports: new NodeReports(),
    /** Who waits for a volume that something is done with on another node. */
    waiting: new KeySets(),
    /** What nodes that are gone used last. */
    usedByGone: new Map<string, ReadonlySet<string>>(),
    /** What is there when this program begins to lead has been taken into account. */
    memory: { isStarted: false },
    metrics: attachDetachMetrics(metrics),
    clock,
    events,
    log,
  };
}

function driverOf({ spec }: Stored<CachedVolume>): readonly string[] {
  return spec?.csi === undefined ? [] : [spec.csi.driver];
}
