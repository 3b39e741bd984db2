import { KubeConfig } from "@kubernetes/client-node";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../api/resources.ts";
import { connect } from "./connect.ts";
import { isUnreachable } from "./errors.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "connect-"));
});
afterEach(async () => rm(home, { recursive: true }));

const kubeconfig = (server: string, namespace?: string): string =>
  JSON.stringify({
    "current-context": "x",
    clusters: [{ name: "c", cluster: { server } }],
    contexts: [{ name: "x", context: { cluster: "c", namespace } }],
  });

test("the cluster is the one of the home directory, or of the environment", async () => {
  await mkdir(join(home, ".kube"));
  await writeFile(join(home, ".kube/config"), kubeconfig("http://home:1"));
  await writeFile(join(home, "other"), kubeconfig("http://other:1", "team"));
  const atHome = await connect({ env: { HOME: home } });
  expect([atHome.access.server.host, atHome.namespace]).toEqual(["home:1", "default"]);
  const elsewhere = await connect({ env: { HOME: home, KUBECONFIG: join(home, "other") } });
  expect([elsewhere.access.server.host, elsewhere.namespace]).toEqual(["other:1", "team"]);
  await Promise.all([atHome.close(), elsewhere.close()]);
});

test("a KubeConfig of client-node will do; nothing is asked before it has to be", async () => {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig("http://127.0.0.1:1"));
  const cluster = await connect({ access: config, env: {} });
  const failure: unknown = await cluster
    .clientFor(resources.pods)
    .list()
    .catch((error: unknown) => error);
  expect(isUnreachable(failure)).toBe(true);
  await cluster.close();
});
