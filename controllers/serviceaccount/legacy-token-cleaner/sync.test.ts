import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  ConfigMap,
  Namespace,
  Pod,
  Secret,
  ServiceAccount,
} from "../../../pkg/api/types/core-v1.gen.ts";
import { Interner } from "../../../pkg/cache/store/interner.ts";
import { Projection } from "../../../pkg/cache/store/projection.ts";
import { internal } from "../../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf } from "../../../test/harness/controller-world.ts";
import { newToldWorld } from "../../../test/harness/told-errors.ts";
import { legacyTokenCleanerController } from "./controller.ts";
import { SECRET_NAME_FIELDS, secretNames } from "./secret-names.ts";
import { dayOf } from "./stale-tokens.ts";

const DAY_MS = 86_400_000;
const PERIOD_MS = 3 * DAY_MS;
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

let world: ControllerWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
  await world.create<Namespace>(resources.namespaces, { metadata: { name: "kube-system" } });
  await world.create<ServiceAccount>(resources.serviceAccounts, {
    metadata: { name: "bot" },
    secrets: [{ name: "token" }],
  });
  await world.create<Secret>(resources.secrets, {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "bot" } },
    type: "kubernetes.io/service-account-token",
  });
});
afterEach(async () => world.stop());

test("an unused token is refused after a period, and deleted after another", async () => {
  await track(dayOf(world.clock.nowMs()));
  await start();
  await world.run(PERIOD_MS);
  expect(linesTaken()).toEqual([]);
  await world.run(2 * DAY_MS);
  const [patch] = world.takeWrites();
  expect(patch && lineOf(patch)).toBe("patch secrets token");
  const { labels, resourceVersion } = (await world.get<Secret>(resources.secrets, "token")).metadata;
  expect(labels?.[INVALID_SINCE]).toMatch(/^\d{4}-\d\d-\d\d$/);
  await world.run(PERIOD_MS + 3 * DAY_MS);
  const writes = world.takeWrites();
  expect(writes.map(lineOf)).toEqual(["delete secrets token"]);
  expect(writes[0]?.body).toMatchObject({ preconditions: { resourceVersion } });
});

test("one that a pod refers to stays", async () => {
  await track("2000-01-01");
  await world.create<Pod>(resources.pods, {
    metadata: { name: "user" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", secret: { secretName: "token" } }],
    },
  });
  await start();
  await world.run(3 * PERIOD_MS);
  expect(linesTaken()).toEqual([]);
});

test("what pods refer to is read of them, wherever they can refer to it", () => {
  const secret = (name: string) => ({ secretRef: { name } });
  const container = (kind: string) => ({
    name: kind,
    envFrom: [secret(`${kind}-all`)],
    env: [{ name: "e", valueFrom: { secretKeyRef: { name: `${kind}-one`, key: "k" } } }],
  });
  const pod = {
    metadata: {},
    spec: {
      imagePullSecrets: [{ name: "pull" }],
      containers: [container("main")],
      initContainers: [container("init")],
      ephemeralContainers: [container("debug")],
      volumes: [
        { name: "v", secret: { secretName: "volume" } },
        { name: "v", azureFile: { secretName: "azure", shareName: "s" } },
        { name: "v", projected: { sources: [{ secret: { name: "projected" } }] } },
        { name: "v", csi: { driver: "d", nodePublishSecretRef: { name: "csi" } } },
        { name: "v", cephfs: { monitors: [], ...secret("ceph") } },
        { name: "v", cinder: { volumeID: "i", ...secret("cinder") } },
        { name: "v", flexVolume: { driver: "d", ...secret("flex") } },
        { name: "v", rbd: { image: "i", monitors: [], ...secret("rbd") } },
        { name: "v", scaleIO: { gateway: "g", system: "s", ...secret("scaleio") } },
        { name: "v", iscsi: { iqn: "i", lun: 1, targetPortal: "p", ...secret("iscsi") } },
        { name: "v", storageos: secret("storageos") },
      ],
    },
  };
  const projection = new Projection(resources.pods, new Interner());
  projection.add(SECRET_NAME_FIELDS);
  const read = secretNames(projection.apply(pod) as Pod);
  expect(read.size).toBe(18);
  expect(read).toEqual(secretNames(pod as Pod));
});

test("one of another account of the name is left alone, and its own is not", async () => {
  await track("2000-01-01");
  await world.update<Secret>(resources.secrets, "token", (token) => ({
    ...token,
    metadata: {
      ...token.metadata,
      annotations: { ...token.metadata.annotations, "kubernetes.io/service-account.uid": "of-another" },
    },
  }));
  const { uid = "" } = (await world.get(resources.serviceAccounts, "bot")).metadata;
  await world.create<Secret>(resources.secrets, {
    metadata: {
      name: "own",
      annotations: {
        "kubernetes.io/service-account.name": "bot",
        "kubernetes.io/service-account.uid": uid,
      },
    },
    type: "kubernetes.io/service-account-token",
  });
  await world.update<ServiceAccount>(resources.serviceAccounts, "bot", (account) => ({
    ...account,
    secrets: [{ name: "token" }, { name: "own" }],
  }));
  await start();
  await world.run(3 * PERIOD_MS);
  expect(linesTaken()).toEqual(["patch secrets own", "delete secrets own"]);
});

test("one that has taken the name of an unused one is not refused", async () => {
  await track("2000-01-01");
  await start();
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "secrets" },
    action: {
      kind: "interfere",
      run: async () => {
        const { metadata, ...rest } = await world.get<Secret>(resources.secrets, "token");
        await world.delete(resources.secrets, "token");
        const { name = "", annotations = {} } = metadata;
        await world.create<Secret>(resources.secrets, { ...rest, metadata: { name, annotations } });
      },
    },
    times: 1,
  });
  await world.run(PERIOD_MS + 2 * DAY_MS);
  expect(
    (await world.get<Secret>(resources.secrets, "token")).metadata.labels?.[INVALID_SINCE],
  ).toBeUndefined();
});

test("one that cannot be refused does not keep the others, and pods are watched no longer than a round", async () => {
  await track("2000-01-01");
  await world.update<ServiceAccount>(resources.serviceAccounts, "bot", (bot) => ({
    ...bot,
    secrets: ["first", "token", "zero"].map((name) => ({ name })),
  }));
  const { metadata, ...rest } = await world.get<Secret>(resources.secrets, "token");
  const { annotations = {} } = metadata;
  for (const name of ["first", "zero"])
    await world.create<Secret>(resources.secrets, { ...rest, metadata: { name, annotations } });
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "secrets", name: "token" },
    action: { kind: "status", when: "before", error: internal("no") },
  });
  await start();
  await world.run(PERIOD_MS + 2 * DAY_MS);
  expect(new Set(linesTaken())).toEqual(
    new Set(["patch secrets first", "patch secrets token", "patch secrets zero"]),
  );
  expect(world.server.parts.faults.dropWatches({ resource: "pods" })).toBe(0);
});

test("one that is used again in the meantime is not deleted", async () => {
  await track("2000-01-01");
  await start();
  await world.run(PERIOD_MS + 2 * DAY_MS);
  await label({ [INVALID_SINCE]: "", "kubernetes.io/legacy-token-last-used": dayOf(world.clock.nowMs()) });
  world.takeWrites();
  await world.run(PERIOD_MS);
  expect(linesTaken()).toEqual([]);
});

describe("one that is to be deleted, and", () => {
  beforeEach(async () => {
    await track("2000-01-01");
    await start();
    await world.run(PERIOD_MS + 2 * DAY_MS);
    expect(linesTaken()).toEqual(["patch secrets token"]);
  });
  const onDelete = (run: () => Promise<void>): void => {
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "secrets" },
      action: { kind: "interfere", run },
      times: 1,
    });
  };

  test("is used at the last moment, stays", async () => {
    onDelete(async () =>
      label({ [INVALID_SINCE]: "", "kubernetes.io/legacy-token-last-used": dayOf(world.clock.nowMs()) }),
    );
    await world.run(PERIOD_MS + 3 * DAY_MS);
    expect(world.takeWrites().map(({ verb, status }) => `${verb} ${status}`)).toEqual(["delete 409"]);
    expect((await world.get<Secret>(resources.secrets, "token")).metadata.labels?.[INVALID_SINCE]).toBe("");
    expect(told).toEqual([]);
  });

  test("goes by itself at the last moment, is no failure", async () => {
    onDelete(async () => world.delete(resources.secrets, "token"));
    await world.run(PERIOD_MS + 3 * DAY_MS);
    expect(world.takeWrites().map(({ verb, status }) => `${verb} ${status}`)).toEqual(["delete 404"]);
    expect(told).toEqual([]);
  });

  test("cannot be, is told of, and tried again in the next round", async () => {
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "secrets" },
      action: { kind: "status", when: "before", error: internal("not now") },
      times: 1,
    });
    await world.run(PERIOD_MS + 6 * DAY_MS);
    expect(linesTaken()).toEqual(["delete secrets token", "delete secrets token"]);
    expect(told).toEqual([expect.stringContaining("not now")]);
  });
});

describe("nothing is done", () => {
  test.each<[string, string | undefined]>([
    ["it is not said since when uses are noted", undefined],
    ["that is no day", "2022-12-27-1"],
  ])("while %s", async (_, since) => {
    await track(since);
    await start();
    await world.run(3 * PERIOD_MS);
    expect(linesTaken()).toEqual([]);
  });

  test("without that note of the API server", async () => {
    await start();
    await world.run(3 * PERIOD_MS);
    expect(linesTaken()).toEqual([]);
  });

  test("while it is not known what pods refer to", async () => {
    await track("2000-01-01");
    const repair = world.server.parts.faults.add({
      target: { resource: "pods" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await start();
    await world.run(PERIOD_MS + 2 * DAY_MS);
    expect(linesTaken()).toEqual([]);
    repair();
    await world.run(DAY_MS);
    expect(linesTaken()).toEqual(["patch secrets token"]);
  });
});

test("a period of nothing is refused", async () => {
  await expect(world.start(legacyTokenCleanerController({ cleanUpPeriodMs: 0 }))).rejects.toThrow(
    "must be above 0",
  );
});

async function start(): Promise<void> {
  await world.start(legacyTokenCleanerController({ cleanUpPeriodMs: PERIOD_MS }));
}

async function track(since: string | undefined): Promise<void> {
  const name = "kube-apiserver-legacy-service-account-token-tracking";
  const metadata = { name, namespace: "kube-system" };
  await world.create<ConfigMap>(resources.configMaps, { metadata, ...(since && { data: { since } }) });
}

async function label(labels: Readonly<Record<string, string>>): Promise<void> {
  const ref = { namespace: "default", name: "token" };
  await world.client
    .clientFor(resources.secrets)
    .patch(ref, { type: "merge", body: { metadata: { labels } } });
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
