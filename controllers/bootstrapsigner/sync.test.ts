import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { bootstrapSignerController } from "./controller.ts";

const KEY = "jws-kubeconfig-abc123";
/** Of "payload", with the token abc123 and its secret. */
const SIGNATURE = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..QSxpUG7Q542CirTI2ECPSZjvBOJURUW5a7XqFpNI958";
const UPDATE = "update configmaps cluster-info";
const MAP = { namespace: "kube-public", name: "cluster-info" };

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  for (const name of ["kube-public", "kube-system"])
    await world.create(resources.namespaces, { metadata: { name } });
});
afterEach(async () => world.stop());

describe("the description of the cluster", () => {
  // upstream: pkg/controller/bootstrap/bootstrapsigner_test.go (each function a row)
  test.for<[string, Record<string, string> | undefined, boolean, readonly string[], string | undefined]>([
    ["is not made: NoConfigMap", undefined, true, [], undefined],
    ["is signed: SimpleSign", {}, true, [UPDATE], SIGNATURE],
    ["stays as it is when it is signed: NoSignNeeded", { [KEY]: SIGNATURE }, true, [], SIGNATURE],
    ["is signed anew: UpdateSignature", { [KEY]: "old" }, true, [UPDATE], SIGNATURE],
    ["loses a signature without its token: RemoveSignature", { [KEY]: "old" }, false, [UPDATE], undefined],
  ])("%s", async ([, signatures, hasToken, writes, signature]) => {
    if (signatures !== undefined) await describeCluster({ kubeconfig: "payload", ...signatures });
    if (hasToken) await addToken("abc123");
    await world.start(bootstrapSignerController());
    expect(linesOf()).toEqual(writes);
    if (signatures === undefined) return;
    expect(await dataOf()).toEqual({ kubeconfig: "payload", ...(signature && { [KEY]: signature }) });
  });

  test("is left alone when it says nothing", async () => {
    await describeCluster({ other: "text", [KEY]: "old" });
    await addToken("abc123");
    await world.start(bootstrapSignerController());
    expect(linesOf()).toEqual([]);
  });

  test("follows what it says and the tokens that there are, with a write for each change", async () => {
    await describeCluster({ kubeconfig: "payload", note: "kept" });
    await world.start(bootstrapSignerController());
    expect(linesOf()).toEqual([]);
    await addToken("abc123");
    await addToken("def456");
    await world.run();
    expect(Object.keys(await dataOf()).toSorted()).toEqual([
      KEY,
      "jws-kubeconfig-def456",
      "kubeconfig",
      "note",
    ]);
    world.takeWrites();
    await removeToken("def456");
    await world.run();
    expect(await dataOf()).toEqual({ kubeconfig: "payload", note: "kept", [KEY]: SIGNATURE });
    expect(linesOf()).toEqual([UPDATE]);
    await update((map) => ({ ...map, data: { ...map.data, kubeconfig: "other" } }));
    await world.run();
    expect((await dataOf())[KEY]).not.toBe(SIGNATURE);
    expect(linesOf()).toEqual([UPDATE]);
  });

  test("is signed though somebody else wrote it in between", async () => {
    await describeCluster({ kubeconfig: "payload" });
    await world.start(bootstrapSignerController());
    const release = world.server.parts.faults.holdWatches({ resource: "configmaps" });
    await update((map) => ({ ...map, metadata: { ...map.metadata, labels: { seen: "no" } } }));
    await addToken("abc123");
    await world.run();
    expect((await dataOf())[KEY]).toBeUndefined();
    release();
    await world.run();
    expect((await dataOf())[KEY]).toBe(SIGNATURE);
  });

  test("is signed when the server is well again", async () => {
    await describeCluster({ kubeconfig: "payload" });
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "configmaps" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(bootstrapSignerController());
    await addToken("abc123");
    await world.run();
    repair();
    await world.run(60_000);
    expect((await dataOf())[KEY]).toBe(SIGNATURE);
  });
});

async function describeCluster(data: Readonly<Record<string, string>>): Promise<void> {
  await world.create<ConfigMap>(resources.configMaps, { metadata: MAP, data });
}

async function update(change: (map: ConfigMap) => ConfigMap): Promise<void> {
  const maps = world.client.clientFor<ConfigMap>(resources.configMaps);
  await maps.update(change(await maps.get(MAP)));
}

async function dataOf(): Promise<Readonly<Record<string, string>>> {
  return (await world.client.clientFor<ConfigMap>(resources.configMaps).get(MAP)).data ?? {};
}

async function addToken(id: string): Promise<void> {
  await world.create<Secret>(resources.secrets, {
    metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: { "token-id": id, "token-secret": "tokenSecret", "usage-bootstrap-signing": "true" },
  });
}

async function removeToken(id: string): Promise<void> {
  const ref = { namespace: "kube-system", name: `bootstrap-token-${id}` };
  await world.client.clientFor(resources.secrets).delete(ref);
}

function linesOf(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
