import type { Stored } from "../../pkg/api/object.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { PersistentVolumeContext } from "./context.ts";

/** The volume of the name as the server has it: claims name theirs and know no uid. */
export async function liveVolumeNamed(
  { volumeClient }: Pick<PersistentVolumeContext, "volumeClient">,
  name: string,
  signal: AbortSignal,
): Promise<Stored<PersistentVolume> | undefined> {
  try {
    return await volumeClient.get({ name }, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
