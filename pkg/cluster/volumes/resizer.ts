import { resources } from "../../api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import {
  storageOf,
  wantsMore,
  withResizeDone,
  withResizeOnController,
} from "../../api/volumes/claim-resize.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { type Kit, wired } from "../../controller/kit.ts";
import { againWhenOutrun } from "../../controller/protection.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { itself } from "../../controller/wake-rules.ts";
import { HOLLOW_PROVISIONER } from "./hollow-volume.ts";

type ClaimSync = OwnerSync<PersistentVolumeClaim>;

/** Makes volumes without disks larger, as an external resizer does: no file system is in the way. */
export function hollowResizer(): ControllerDescriptor {
  return {
    name: "hollow-resizer",
    clientName: "hollow-resizer",
    eventSource: `external-resizer ${HOLLOW_PROVISIONER}`,
    build: wired((kit) => {
      const context = resizerContext(kit);
      kit.ownerQueue({
        name: "claims",
        workers: 4,
        owners: context.claims,
        sync: async (sync) => againWhenOutrun(async () => resize(sync, context)),
        wakes: (change, wake) => {
          const { status } = change.object;
          if (change.type !== "deleted" && status?.phase === "Bound" && wantsMore(change.object))
            itself(change, wake);
        },
      });
    }),
  };
}

function resizerContext(kit: Kit) {
  const { clock, events } = kit.env;
  return {
    claims: kit.reads(resources.persistentVolumeClaims),
    volumes: kit.reads(resources.persistentVolumes),
    claimWrites: kit.writes<PersistentVolumeClaim>(resources.persistentVolumeClaims),
    volumeWrites: kit.writes<PersistentVolume>(resources.persistentVolumes),
    clock,
    events,
  };
}

/** First the claim says so, then the volume is larger, then the claim has it. */
async function resize(sync: ClaimSync, context: ReturnType<typeof resizerContext>): Promise<SyncResult> {
  const { owner: claim } = sync;
  const { volumes, claimWrites, volumeWrites, clock, events } = context;
  if (!wantsMore(claim) || claim.metadata.deletionTimestamp !== undefined) return {};
  const volume = volumes.lister.get(undefined, claim.spec?.volumeName ?? "");
  // Of a volume that is not known yet it is not known whose it is.
  if (volume === undefined) return { backOff: true };
  const isOurs = volume.spec?.csi?.driver === HOLLOW_PROVISIONER;
  if (!isOurs || volume.spec?.claimRef?.uid !== claim.metadata.uid) return {};
  const storage = claim.spec?.resources?.requests?.["storage"] ?? "0";
  sync.decided("The claim asks for more than it has", { storage });
  const status = { ...claim.status, ...withResizeOnController(claim.status ?? {}, storage, clock.nowMs()) };
  const begun = await claimWrites.updateStatus(sync, { ...claim, status });
  events.event(claim, "Normal", "Resizing", `External resizer is resizing volume ${volume.metadata.name}`);
  if (storageOf(volume.spec?.capacity).compare(storageOf({ storage })) < 0) {
    const capacity = { ...volume.spec?.capacity, storage };
    await volumeWrites.update(sync, { ...volume, spec: { ...volume.spec, capacity } });
  }
  const { allocatedResourceStatuses: _, ...rest } = begun.status ?? {};
  const done = { ...rest, ...withResizeDone(begun.status ?? {}, storage) };
  await claimWrites.updateStatus(sync, { ...begun, status: done });
  events.event(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded");
  return {};
}
