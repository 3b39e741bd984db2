import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import { splitKey } from "../../pkg/api/object.ts";

/** What users are told in events, to the letter of upstream. */

export const ATTACHED = "SuccessfulAttachVolume";
export const NOT_ATTACHED = "FailedAttachVolume";

const ELSEWHERE =
  "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node";

/** upstream: pkg/volume/util/operationexecutor/operation_executor.go#generateVolumeMsg; what follows may be empty. */
function volumeMessage(what: string, name: string, more: string): string {
  return `${what} for volume ${quotedAsInGo(name)} ${more}`;
}

export function attachedMessage(name: string): string {
  return volumeMessage("AttachVolume.Attach succeeded", name, "");
}

export function notAttachedMessage(name: string, why: string): string {
  return volumeMessage("AttachVolume.Attach failed", name, `: ${why}`);
}

/**
 * Why a pod in this namespace has to wait for its volume. Users are not told the names of pods in other namespaces.
 * upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go#reportMultiAttachError
 */
export function conflictMessage(name: string, namespace: string, users: readonly string[]): string {
  return volumeMessage(
    "Waiting for detach",
    name,
    users.length === 0 ? ELSEWHERE : usersOf(namespace, users),
  );
}

function usersOf(namespace: string, users: readonly string[]): string {
  const near = users.map(splitKey).filter((user) => user.namespace === namespace);
  const far = users.length - near.length;
  const others = `${far} pod(s) in different namespaces`;
  if (near.length === 0) return `Volume is already used by ${others}`;
  const named = `Volume is already used by pod(s) ${near.map((user) => user.name).join(", ")}`;
  return far > 0 ? `${named} and ${others}` : named;
}

export function timeoutMessage(what: "attach" | "detach", driver: string, volumeHandle: string): string {
  return `timed out waiting for external-attacher of ${driver} CSI driver to ${what} volume ${volumeHandle}`;
}
