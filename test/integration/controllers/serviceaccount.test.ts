import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clusterRoleAggregationController } from "../../../controllers/clusterrole-aggregation/controller.ts";
import { rootCaPublisherController } from "../../../controllers/root-ca/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { legacyTokenCleanerController } from "../../../controllers/serviceaccount/legacy-token-cleaner/controller.ts";
import { serviceAccountTokenController } from "../../../controllers/serviceaccount/token/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ConfigMap, Pod, Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { RoleBinding } from "../../../pkg/api/types/rbac-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isForbidden, isUnauthorized } from "../../../pkg/client/errors.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { tokenSigner } from "../../../pkg/tokens/token-signer.ts";
import {
  type AccountCluster,
  accountClusterKinds,
  type ClusterKeys,
} from "../../harness/account-clusters.ts";
import { hasRealCluster } from "../../harness/real-cluster.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { describeWhere } from "../../harness/where.ts";

const DAY_MS = 86_400_000;
const PERIOD_MS = DAY_MS;
const CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

function controllers({ tokenKey }: ClusterKeys): readonly ControllerDescriptor[] {
  const rootCa = (): string => CA;
  return [
    serviceAccountTokenController({ workers: 2, signer: () => tokenSigner(tokenKey), rootCa }),
    serviceAccountController(),
    rootCaPublisherController({ rootCa }),
    // The roles of users are aggregated: nobody may do anything before this one has run.
    clusterRoleAggregationController(),
  ];
}

// Names of upstream's functions (test/integration/serviceaccount) stand in front of each case.
describe.each(accountClusterKinds)("service accounts on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(controllers);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test("ServiceAccountAutoCreate: every namespace has its account, and gets it again", async () => {
    const first = await accountIn(space);
    await space.delete(resources.serviceAccounts, "default");
    const second = await space.until(
      "the account is there again",
      async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
      (found) => found !== undefined && found.metadata.uid !== first.metadata.uid,
    );
    expect(second).toBeDefined();
  });

  test("every namespace has the root CA", async () => {
    const map = await space.until(
      "the CA is there",
      async () => space.find<ConfigMap>(resources.configMaps, "kube-root-ca.crt"),
      (found) => found !== undefined,
    );
    expect(map?.data).toEqual({ "ca.crt": CA });
  });

  test("ServiceAccountTokenAutoMount: pods run under the account, with its token", async () => {
    await accountIn(space);
    const { spec } = await space.create<Pod>(resources.pods, pod("any"));
    expect(spec?.serviceAccountName).toBe("default");
    expect(spec?.volumes?.[0]?.projected).toBeDefined();
  });

  test("ServiceAccountTokenAuthentication: a token is good for what its account may do, until its Secret goes", async () => {
    const other = await cluster.space();
    await account(space, "ro", "view");
    await account(space, "rw", "admin");
    const reader = cluster.clientWith(await tokenIn(space, "ro"));
    await space.until(
      "the role is known",
      async () => access(reader, space),
      (seen) => seen === "reads",
    );
    expect(await access(reader, other)).toBe("nothing");
    await space.delete(resources.secrets, "ro-token");
    await space.until(
      "the token is refused",
      async () => access(reader, space),
      (seen) => seen === "unauthorized",
    );
    const writer = cluster.clientWith(await tokenIn(space, "rw"));
    await space.until(
      "the role is known",
      async () => access(writer, space),
      (seen) => seen === "writes",
    );
    expect(await access(writer, other)).toBe("nothing");
  });

  test("a token goes with its account, and its reference with the token", async () => {
    await account(space, "gone", "view");
    await account(space, "kept", "view");
    await tokenIn(space, "gone");
    await tokenIn(space, "kept");
    await refer(space, "kept");
    await space.delete(resources.serviceAccounts, "gone");
    await space.until(
      "the token is gone",
      async () => space.find<Secret>(resources.secrets, "gone-token"),
      (found) => found === undefined,
    );
    await space.delete(resources.secrets, "kept-token");
    await space.until(
      "the reference is gone",
      async () => space.get<ServiceAccount>(resources.serviceAccounts, "kept"),
      ({ secrets = [] }) => secrets.length === 0,
    );
  });

  test("LegacyServiceAccountTokenTracking: uses are noted", async () => {
    await account(space, "bot", "view");
    const holder = cluster.clientWith(await tokenIn(space, "bot"));
    await access(holder, space);
    await space.until(
      "the use is noted",
      async () => space.get<Secret>(resources.secrets, "bot-token"),
      ({ metadata }) => metadata.labels?.[LAST_USED] === today(0),
    );
  });

  // upstream: TestLegacyServiceAccountTokenCleanUp. A manager that starts days later takes the place of a clock that is moved.
  test.each<
    [string, { readonly generated: boolean; readonly used: boolean; readonly mounted: boolean }, boolean]
  >([
    ["generated and used before", { generated: true, used: true, mounted: false }, true],
    ["generated and never used", { generated: true, used: false, mounted: false }, true],
    ["made by hand", { generated: false, used: true, mounted: false }, false],
    ["that a pod refers to", { generated: true, used: true, mounted: true }, false],
  ])("LegacyServiceAccountTokenCleanUp: a token %s", async (_, { generated, used, mounted }, goes) => {
    await track(cluster.client);
    await accountIn(space);
    await account(space, "bot", "view");
    const token = await tokenIn(space, "bot");
    if (generated) await refer(space, "bot");
    if (mounted) await space.create<Pod>(resources.pods, pod("user", "bot-token"));
    const holder = cluster.clientWith(token);
    if (used) {
      await space.until(
        "the role is known",
        async () => access(holder, space),
        (seen) => seen === "reads",
      );
    }
    const days = 3;
    const refused = await withCleaner(cluster, days, async () =>
      goes
        ? space.until(
            "the token is refused",
            async () => labelsOf(space),
            (seen) => seen[INVALID_SINCE] === today(days),
          )
        : settled(space),
    );
    expect(refused[INVALID_SINCE]).toBe(goes ? today(days) : undefined);
    if (!goes) return;
    await space.until(
      "it is refused",
      async () => access(holder, space),
      (seen) => seen === "unauthorized",
    );
    await label(space, { [INVALID_SINCE]: null });
    await space.until(
      "it can be had back",
      async () => access(holder, space),
      (seen) => seen === "reads",
    );
    await label(space, { [INVALID_SINCE]: today(days), [LAST_USED]: today(0) });
    await withCleaner(cluster, days + 3, async () => {
      await space.until(
        "the token is deleted",
        async () => space.find<Secret>(resources.secrets, "bot-token"),
        (found) => found === undefined,
      );
      return {};
    });
  });
});

describeWhere(hasRealCluster())("tokens that are signed with ECDSA", () => {
  test.each(["P-256", "P-384", "P-521"])("%s are taken by the real API server", async (namedCurve) => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
    const directory = await mkdtemp(join(tmpdir(), "kcm-ec-"));
    const file = join(directory, "public.pem");
    await writeFile(file, publicKey.export({ type: "spki", format: "pem" }));
    const real = accountClusterKinds.find((kind) => kind.name === "real");
    const cluster = await real?.start(
      () => controllers({ tokenKey: privateKey }),
      [`--service-account-key-file=${file}`],
    );
    if (cluster === undefined) throw new Error("there is no real cluster");
    try {
      const space = await cluster.space();
      await account(space, "bot", "view");
      const holder = cluster.clientWith(await tokenIn(space, "bot"));
      await space.until(
        "the token is taken",
        async () => access(holder, space),
        (seen) => seen === "reads",
      );
    } finally {
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

type Access = "unauthorized" | "nothing" | "reads" | "writes";

/** What a client may do with ConfigMaps of a namespace. Its token may be refused at any moment from one request on. */
async function access(client: ClientSet, { namespace }: TestSpace): Promise<Access> {
  const maps = client.clientFor(resources.configMaps);
  let allowed: Access = "nothing";
  try {
    await maps.list({ namespace });
    allowed = "reads";
    await maps.create({ metadata: { namespace, generateName: "probe-" } });
    return "writes";
  } catch (error) {
    if (isUnauthorized(error)) return "unauthorized";
    if (isForbidden(error)) return allowed;
    throw error;
  }
}

async function accountIn(space: TestSpace): Promise<ServiceAccount> {
  const found = await space.until(
    "the account is there",
    async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
    (seen) => seen !== undefined,
  );
  if (found === undefined) throw new Error("there is no account");
  return found;
}

/** An account with a role in its own namespace. */
async function account(space: TestSpace, name: string, role: string): Promise<void> {
  await space.create<ServiceAccount>(resources.serviceAccounts, { metadata: { name } });
  await space.create<RoleBinding>(resources.roleBindings, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", namespace: space.namespace, name }],
  });
}

/** The content of a new Secret for an account. */
async function tokenIn(space: TestSpace, name: string): Promise<string> {
  await space.create<Secret>(resources.secrets, {
    metadata: { name: `${name}-token`, annotations: { "kubernetes.io/service-account.name": name } },
    type: "kubernetes.io/service-account-token",
  });
  const { data } = await space.until(
    "the token is there",
    async () => space.get<Secret>(resources.secrets, `${name}-token`),
    (secret) => Boolean(secret.data?.["token"]),
  );
  expect(Buffer.from(data?.["ca.crt"] ?? "", "base64").toString()).toBe(CA);
  return Buffer.from(data?.["token"] ?? "", "base64").toString();
}

/** As if the token had been generated for the account. */
async function refer(space: TestSpace, name: string): Promise<void> {
  await space.update<ServiceAccount>(resources.serviceAccounts, name, (found) => ({
    ...found,
    secrets: [{ name: `${name}-token` }],
  }));
}

function pod(name: string, secretName?: string): Pod {
  const volumes = secretName === undefined ? {} : { volumes: [{ name: "v", secret: { secretName } }] };
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...volumes } };
}

/** The server notes uses, and says since when. */
async function track(client: ClientSet): Promise<void> {
  const ref = { namespace: "kube-system", name: TRACKING };
  expect((await client.clientFor<ConfigMap>(resources.configMaps).get(ref)).data?.["since"]).toBe(today(0));
}

async function withCleaner<T>(cluster: AccountCluster, days: number, work: () => Promise<T>): Promise<T> {
  const clock: Clock = { ...realClock, nowMs: () => realClock.nowMs() + days * DAY_MS };
  const stop = cluster.run([legacyTokenCleanerController({ cleanUpPeriodMs: PERIOD_MS })], clock);
  try {
    return await work();
  } finally {
    await stop();
  }
}

/** The labels after a time in which the cleaner would have done something. */
async function settled(space: TestSpace): Promise<Readonly<Record<string, string>>> {
  await space.never(
    "the token is refused",
    1_500,
    async () => (await labelsOf(space))[INVALID_SINCE] !== undefined,
  );
  return labelsOf(space);
}

async function labelsOf(space: TestSpace): Promise<Readonly<Record<string, string>>> {
  return (await space.get<Secret>(resources.secrets, "bot-token")).metadata.labels ?? {};
}

async function label(space: TestSpace, labels: Readonly<Record<string, string | null>>): Promise<void> {
  await space.patch<Secret>(resources.secrets, "bot-token", { metadata: { labels } });
}

function today(days: number): string {
  return new Date(realClock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
}
