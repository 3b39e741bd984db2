import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bootstrapSignerController } from "../../../controllers/bootstrapsigner/controller.ts";
import { tokenCleanerController } from "../../../controllers/tokencleaner/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { ConfigMap, Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { detachedSignature } from "../../../pkg/tokens/detached-signature.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { TestSpace } from "../../harness/test-space.ts";

const HOUR_MS = 3_600_000;
const SECRET = "abcdefghijklmnop";
const INFO = "cluster-info";

const signatureKey = (id: string): string => `jws-kubeconfig-${id}`;
const secretName = (id: string): string => `bootstrap-token-${id}`;

// Names of upstream's cases (test/e2e/bootstrap) stand in front of each.
describe.each(accountClusterKinds)("bootstrap tokens on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let open: TestSpace;
  let system: TestSpace;
  let tokens = 0;
  beforeAll(async () => {
    cluster = await start(() => [bootstrapSignerController(), tokenCleanerController()]);
    open = new TestSpace(cluster.client, "kube-public");
    system = new TestSpace(cluster.client, "kube-system");
  });
  beforeEach(async () => {
    const data = { kubeconfig: "first" };
    await open.create<ConfigMap>(resources.configMaps, { metadata: { name: INFO }, data });
  });
  afterEach(async () => open.delete(resources.configMaps, INFO));
  afterAll(async () => cluster?.stop());

  async function addToken(leftMs: number): Promise<string> {
    const id = `token${++tokens}`;
    await system.create<Secret>(resources.secrets, {
      metadata: { name: secretName(id) },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": id,
        "token-secret": SECRET,
        "usage-bootstrap-signing": "true",
        expiration: formatTime(realClock.nowMs() + leftMs),
      },
    });
    return id;
  }

  async function signatureBecomes(id: string, expected: string | undefined): Promise<void> {
    await open.until(
      "the signature is as it should be",
      async () => open.get<ConfigMap>(resources.configMaps, INFO),
      ({ data = {} }) => data[signatureKey(id)] === expected,
    );
  }

  test("BootstrapSigner: signs with a new token, anew when the content changes, and no more when the token is gone", async () => {
    const id = await addToken(HOUR_MS);
    await signatureBecomes(id, detachedSignature("first", id, Buffer.from(SECRET)));
    await open.update<ConfigMap>(resources.configMaps, INFO, (map) => ({
      ...map,
      data: { ...map.data, kubeconfig: "second" },
    }));
    await signatureBecomes(id, detachedSignature("second", id, Buffer.from(SECRET)));
    await system.delete(resources.secrets, secretName(id));
    await signatureBecomes(id, undefined);
  });

  test("TokenCleaner: deletes a token when its time is over, with its signature, and leaves one that has time left", async () => {
    const kept = await addToken(HOUR_MS);
    const goes = await addToken(2_000);
    await system.until(
      "the token is gone",
      async () => system.find<Secret>(resources.secrets, secretName(goes)),
      (found) => found === undefined,
    );
    await signatureBecomes(goes, undefined);
    await signatureBecomes(kept, detachedSignature("first", kept, Buffer.from(SECRET)));
    expect(await system.find<Secret>(resources.secrets, secretName(kept))).toBeDefined();
  });
});
