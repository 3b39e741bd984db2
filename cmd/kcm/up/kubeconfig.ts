import { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../kube-controller-manager/start-error.ts";
import type { KeyPair } from "../../../pkg/pki/certificate-authority.ts";
import { makeDirectory } from "./make-directory.ts";

/** Whether a file may be replaced is told by its first line. */
const MARK = "# Written by kcm up, which replaces it at every start.";

export interface AdminAccess {
  readonly url: string;
  /** Neither is there with --insecure-admin. */
  readonly ca?: string;
  readonly admin?: KeyPair;
}

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
export function writeKubeconfig(path: string, access: AdminAccess): void {
  const half = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(half, `${MARK}\n${kubeconfigText(access)}`, { mode: 0o600 });
    renameSync(half, path);
  } catch (error) {
    throw new StartError(`kubeconfig ${path} cannot be written`, error);
  }
}

function kubeconfigText({ url, ca, admin }: AdminAccess): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "kcm",
    contexts: [{ name: "kcm", context: { cluster: "kcm", user: "admin" } }],
    clusters: [
      {
        name: "kcm",
        cluster: { server: url, ...(ca && { "certificate-authority-data": base64(ca) }) },
      },
    ],
    users: [
      {
        name: "admin",
        user: admin
          ? { "client-certificate-data": base64(admin.cert), "client-key-data": base64(admin.key) }
          : {},
      },
    ],
  };
  // JSON is YAML.
  return `${JSON.stringify(config, null, 2)}\n`;
}
