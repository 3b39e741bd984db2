import { mkdir, rm } from "node:fs/promises";
import type { HostPaths } from "../../controllers/persistentvolume/context.ts";

/** The directories of this machine. */
export const hostPaths: HostPaths = {
  make: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  remove: async (path) => rm(path, { recursive: true, force: true }),
};

/** Those of a cluster whose nodes have no disks. */
export const noHostPaths: HostPaths = {
  make: async () => undefined,
  remove: async () => undefined,
};
