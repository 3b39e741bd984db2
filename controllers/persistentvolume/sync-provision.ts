import { messageOf } from "../../pkg/api/errors.ts";
import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import {
  BETA_STORAGE_PROVISIONER,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  withAnnotations,
  withoutAnnotation,
} from "../../pkg/api/volumes/claim-facts.ts";
import { isAlreadyExists, isConflict, isUnreachable } from "../../pkg/client/errors.ts";
import { randomUuid } from "../../pkg/clock/random.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { type ClaimSync, tell } from "./apply.ts";
import type { PersistentVolumeContext } from "./context.ts";
import type { ClaimPlan } from "./decide-claim.ts";
import { hostPathVolume, provisionedName, provisioningProblem } from "./host-path-volume.ts";
import { withMigrationOfClaim } from "./migration.ts";
import { HOST_PATH, provisionerName } from "./plugins.ts";
import { liveVolumeNamed } from "./sync-live.ts";

type Claim = Stored<PersistentVolumeClaim>;
type Provisioning = Extract<ClaimPlan, { do: "provision" }>;

/** Tries to save what is provisioned already, and to delete it again. */
const TRIES = 5;
const PAUSE_MS = 10_000;

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#provisionClaim */
export async function provision(
  sync: ClaimSync,
  claim: Claim,
  { maker, storageClass }: Provisioning,
  context: PersistentVolumeContext,
): Promise<SyncResult> {
  const { times, operations, wake } = context;
  const { uid } = claim.metadata;
  times.begin(uid, provisionerName(storageClass), "provision");
  try {
    if (maker.by === "other") {
      await askFor(sync, claim, maker.name, context);
      return {};
    }
    if (claim.spec?.dataSource !== undefined) {
      const problem = `plugin ${quotedAsInGo(HOST_PATH)} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`;
      failed(context, claim, problem);
      throw new Error(problem);
    }
    const asked = await setProvisioner(sync, claim, storageClass.provisioner, context);
    operations.start({
      name: operationName(claim),
      work: async (signal) => makeHostPath({ claim: asked, storageClass, signal }, context),
      again: (afterMs) => wake.claim(sync.key, afterMs),
    });
    return {};
  } catch (error) {
    times.failed(uid);
    throw error;
  }
}

export function operationName(claim: Claim): string {
  return `provision-${keyOf(claim)}[${claim.metadata.uid}]`;
}

/** upstream: pv_controller.go#provisionClaimOperationExternal */
async function askFor(
  sync: ClaimSync,
  claim: Claim,
  provisioner: string,
  context: PersistentVolumeContext,
): Promise<void> {
  try {
    await setProvisioner(sync, claim, provisioner, context);
  } catch (error) {
    if (!isConflict(error) && !isUnreachable(error) && !sync.signal.aborted)
      failed(context, claim, `Error saving claim: ${messageOf(error)}`);
    throw error;
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  tell(context, claim, { type: "Normal", reason: "ExternalProvisioning", message });
}

/** upstream: pv_controller_base.go#setClaimProvisioner */
async function setProvisioner(
  sync: ClaimSync,
  claim: Claim,
  provisioner: string,
  { claimWrites }: PersistentVolumeContext,
): Promise<Claim> {
  if (claim.metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return claim;
  sync.decided("A volume is to be made", { provisioner });
  const asked = { [BETA_STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER]: provisioner };
  return claimWrites.update(sync, withMigrationOfClaim(withAnnotations(claim, asked)));
}

interface Order {
  readonly claim: Claim;
  readonly storageClass: StorageClass;
  readonly signal: AbortSignal;
}

/** upstream: pv_controller.go#provisionClaimOperation */
async function makeHostPath(order: Order, context: PersistentVolumeContext): Promise<void> {
  const { times } = context;
  try {
    await provisionHostPath(order, context);
  } catch (error) {
    times.failed(order.claim.metadata.uid);
    throw error;
  }
}

async function provisionHostPath(order: Order, context: PersistentVolumeContext): Promise<void> {
  const { claim, storageClass, signal } = order;
  const { settings, nodes, random, times } = context;
  const refuse = (problem: string): never => {
    failed(context, claim, problem);
    throw new Error(problem);
  };
  if ((await liveVolumeNamed(context, provisionedName(claim), signal)) !== undefined) return;
  const className = quotedAsInGo(storageClass.metadata.name ?? "");
  const { mountOptions = [] } = storageClass;
  if (mountOptions.length > 0)
    refuse(
      `Mount options are not supported by the provisioner but StorageClass ${className} has mount options [${mountOptions.join(" ")}]`,
    );
  if (!settings.provisionsHostPaths)
    refuse(
      `Failed to create provisioner: provisioning in volume plugin ${quotedAsInGo(HOST_PATH)} is disabled`,
    );
  const node = claim.metadata.annotations?.[SELECTED_NODE];
  if (node !== undefined && nodes.lister.get(undefined, node) === undefined)
    refuse(`Failed to get target node: node ${quotedAsInGo(node)} not found`);
  const path = `/tmp/hostpath_pv/${randomUuid(random)}`;
  try {
    await times.step(HOST_PATH, "volume_provision", async () => {
      const problem = provisioningProblem(claim);
      if (problem !== undefined) throw new Error(problem);
      await settings.hostPaths.make(path);
    });
  } catch (error) {
    await reschedule(order, context);
    failed(context, claim, `Failed to provision volume with StorageClass ${className}: ${messageOf(error)}`);
    throw error;
  }
  await save(order, path, context);
}

/** The scheduler is to choose again. upstream: pv_controller.go#rescheduleProvisioning */
async function reschedule(
  { claim, signal }: Order,
  { claimWrites, log }: PersistentVolumeContext,
): Promise<void> {
  if (claim.metadata.annotations?.[SELECTED_NODE] === undefined) return;
  try {
    await claimWrites.change({ owner: claim, signal }, claim, (live) =>
      withoutAnnotation(live, SELECTED_NODE),
    );
  } catch (error) {
    signal.throwIfAborted();
    log.warn("The node could not be taken off a claim", { claim: keyOf(claim), error: messageOf(error) });
  }
}

async function save(order: Order, path: string, context: PersistentVolumeContext): Promise<void> {
  const { claim, storageClass, signal } = order;
  const volume = hostPathVolume(claim, storageClass, path);
  const failure = await withTries(context, signal, async () => create(order, volume, context));
  const { name } = volume.metadata;
  if (failure === undefined) {
    const message = `Successfully provisioned volume ${name} using ${HOST_PATH}`;
    tell(context, claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
    return;
  }
  failed(
    context,
    claim,
    `Error creating provisioned PV object for claim ${keyOf(claim)}: ${messageOf(failure)}. Deleting the volume.`,
  );
  const { times, settings } = context;
  const left = await withTries(context, signal, async () =>
    times.step(HOST_PATH, "volume_delete", async () => settings.hostPaths.remove(path)),
  );
  if (left === undefined) return;
  const message = `Error cleaning provisioned volume for claim ${keyOf(claim)}: ${messageOf(left)}. Please delete manually.`;
  tell(context, claim, { type: "Warning", reason: "ProvisioningCleanupFailed", message });
}

async function create(
  { claim, signal }: Order,
  volume: PersistentVolume,
  { volumeWrites }: PersistentVolumeContext,
): Promise<void> {
  try {
    await volumeWrites.create({ owner: claim, signal }, volume);
  } catch (error) {
    // An answer was lost.
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Gives the last failure; undefined when a try succeeded. */
async function withTries(
  { clock }: PersistentVolumeContext,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (tries === TRIES) return error;
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}

function failed(context: PersistentVolumeContext, claim: Claim, message: string): void {
  tell(context, claim, { type: "Warning", reason: "ProvisioningFailed", message });
}
