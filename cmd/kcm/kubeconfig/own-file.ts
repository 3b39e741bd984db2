import { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { makeDirectory } from "../clusters/make-directory.ts";
import { type AdminAccess, accessEntries } from "./access.ts";

/** Whether a file may be replaced is told by its first line. */
const MARK = "# Written by kcm up, which replaces it at every start.";

/** Throws a StartError when the file cannot be written, or is one that somebody else has made. */
export function checkKubeconfig(path: string): void {
  let text: string;
  try {
    makeDirectory(dirname(path), 0o777);
    accessSync(dirname(path), constants.W_OK);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && existsSync(dirname(path))) return;
    throw new StartError(`kubeconfig ${path} cannot be written`, error);
  }
  if (text !== "" && !text.startsWith(MARK)) {
    throw new StartError(`${path} exists and is not from kcm; name another file with --kubeconfig`);
  }
}

/** In one step: whoever reads it meanwhile sees the old one or the new one. */
export function writeKubeconfig(path: string, clusterName: string, access: AdminAccess): void {
  const half = `${path}.${process.pid}.tmp`;
  const { contexts, clusters, users } = accessEntries(clusterName, access);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": contexts.name,
    contexts: [contexts],
    clusters: [clusters],
    users: [users],
  };
  try {
    // JSON is YAML.
    writeFileSync(half, `${MARK}\n${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    renameSync(half, path);
  } catch (error) {
    throw new StartError(`kubeconfig ${path} cannot be written`, error);
  }
}
