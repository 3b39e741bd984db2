import { readFileSync } from "node:fs";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { parseDocument } from "./options/document.ts";
import type { Options } from "./options/options.ts";
import { StartError } from "../../pkg/manager/start-error.ts";

/** The pods that scrub volumes, as far as somebody has brought their own. */
export interface RecyclerTemplates {
  readonly hostPath: Pod | undefined;
  readonly nfs: Pod | undefined;
}

/** Read when the controller is built. upstream: cmd/kube-controller-manager/app/plugins.go#AttemptToLoadRecycler */
export function recyclerTemplates({
  recyclerTemplateHostpath,
  recyclerTemplateNfs,
}: Options["persistentVolumeBinder"]): () => RecyclerTemplates {
  return () => ({
    hostPath: templateOf("--pv-recycler-pod-template-filepath-hostpath", recyclerTemplateHostpath),
    nfs: templateOf("--pv-recycler-pod-template-filepath-nfs", recyclerTemplateNfs),
  });
}

function templateOf(flag: string, path: string): Pod | undefined {
  if (path === "") return undefined;
  try {
    const document = parseDocument(readFileSync(path, "utf8"));
    if (document["apiVersion"] !== "v1" || document["kind"] !== "Pod")
      throw new Error(`there is no Pod in ${path}`);
    const pod = { metadata: {}, ...document } as Pod;
    if ((pod.spec?.volumes ?? []).length === 0)
      throw new Error(`pod specification (${path}): does not contain any volume(s)`);
    return pod;
  } catch (error) {
    throw new StartError(flag, error);
  }
}
