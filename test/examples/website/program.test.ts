import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { seededRandom } from "../../../pkg/clock/random.ts";
import { EmbeddedCluster } from "../../../pkg/cluster/cluster.ts";
import { Website } from "./website.ts";

const { configMaps, leases } = resources;

let cluster: EmbeddedCluster;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "website-operator-"));
  const parts = { clock: realClock, random: seededRandom(1), insecure: true };
  cluster = await EmbeddedCluster.start({ ...parts, listen: { port: 0 } });
});
afterEach(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true });
});

test("a program ends in order when it is told to", async () => {
  const { clientFor } = cluster.client("admin");
  const kubeconfig = join(directory, "kubeconfig");
  const server = cluster.http?.url;
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const file = fileURLToPath(new URL("program.ts", import.meta.url));
  const child = spawn(process.execPath, [file, kubeconfig], { stdio: ["ignore", "inherit", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(child, "exit");
  const names = async (): Promise<readonly string[]> =>
    (await clientFor(configMaps).list({ namespace: "default" })).items.map(({ metadata }) => metadata.name);
  const website = { metadata: { name: "blog", namespace: "default" }, spec: { replicas: 0, page: "Hello" } };
  await expect
    .poll(async () =>
      clientFor(Website)
        .create(website)
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  await expect.poll(names).toContain("blog-pages");
  child.kill("SIGTERM");
  expect([await ended, log]).toEqual([[0, null], expect.stringContaining("SIGTERM")]);
  const lease = await clientFor(leases).get({ namespace: "default", name: "website-operator" });
  expect(lease.spec?.holderIdentity ?? "").toBe("");
});
