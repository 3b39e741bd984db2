import { readFile } from "node:fs/promises";
import { loadAll } from "js-yaml";
import { isJson, items, type Json, text } from "../../../pkg/api/json.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { loadAccess } from "../../../pkg/client/config/access.ts";
import { httpClients } from "../../../pkg/client/http-clients.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";

const KIND = "CustomResourceDefinition";

/** The definitions among the documents of a file, in YAML or JSON. */
export async function definitionsInFile(path: string): Promise<readonly Json[]> {
  let documents: readonly unknown[];
  try {
    documents = loadAll(await readFile(path, "utf8"));
  } catch (error) {
    throw new StartError(`${path} cannot be read`, error);
  }
  const objects = documents
    .filter(isJson)
    .flatMap((one) => (text(one, "kind").endsWith("List") ? items(one, "items") : [one]));
  const found = objects.filter((one) => one["kind"] === KIND);
  if (found.length === 0) throw new StartError(`${path} has no ${KIND}`);
  const old = found.find((one) => one["apiVersion"] !== "apiextensions.k8s.io/v1");
  if (old !== undefined)
    throw new StartError(
      `${path}: a ${KIND} must be of apiextensions.k8s.io/v1, not ${text(old, "apiVersion")}`,
    );
  return found;
}

/** Those of a cluster, by name. */
export async function definitionsInCluster(kubeconfig: string): Promise<readonly Json[]> {
  const { env } = process;
  const builder = httpClients({
    access: await loadAccess({ kubeconfig, env }),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    env,
    userAgent: "kcm",
    qps: -1,
    burst: 1,
  });
  try {
    const list = await builder.client("types").dynamic(resources.customResourceDefinitions).list();
    return list.items
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map((one) => ({ ...one }));
  } finally {
    await builder.close();
  }
}
