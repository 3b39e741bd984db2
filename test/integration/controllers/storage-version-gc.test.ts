import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageVersionCollector } from "../../../controllers/storageversiongc/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { V1alpha1StorageVersion as StorageVersion } from "../../../pkg/api/types/internal-v1alpha1.gen.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { until } from "../../harness/until.ts";

const FLAGS = [
  "--feature-gates=StorageVersionAPI=true",
  "--runtime-config=internal.apiserver.k8s.io/v1alpha1=true",
];
const NAME = "storageversion.integration.test.foos";
const LABELS = { "apiserver.kubernetes.io/identity": "kube-apiserver" };

// upstream: test/integration/storageversion/gc_test.go#TestStorageVersionGarbageCollection
describe.each(accountClusterKinds)("storage versions on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  beforeAll(async () => {
    cluster = await start(() => [{ ...storageVersionCollector(), featureGates: [] }], FLAGS);
    for (const id of ["id-1", "id-2"]) await createLease(id);
  });
  afterAll(async () => cluster?.stop());

  const versions = () => cluster.client.clientFor(resources.storageVersions);
  const leases = () => cluster.client.clientFor(resources.leases);

  async function createLease(name: string): Promise<void> {
    const metadata = { namespace: "kube-system", name, labels: LABELS };
    const now = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: name, leaseDurationSeconds: 3600, acquireTime: now, renewTime: now };
    await leases().create({ metadata, spec });
  }

  /** Each server stores a version of its own. */
  async function createVersion(...ids: readonly string[]): Promise<void> {
    const made = await versions().create({ metadata: { name: NAME }, spec: {} });
    const storageVersions = ids.map((apiServerID) => {
      const encodingVersion = apiServerID.replace("id-", "v");
      return { apiServerID, encodingVersion, decodableVersions: [encodingVersion] };
    });
    const [{ encodingVersion } = { encodingVersion: "" }] = storageVersions;
    await versions().updateStatus({
      ...made,
      status: { storageVersions, ...(ids.length === 1 && { commonEncodingVersion: encodingVersion }) },
    });
  }

  async function find(): Promise<StorageVersion | undefined> {
    try {
      return await versions().get({ name: NAME });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  const idsOf = (version: StorageVersion | undefined) =>
    version?.status?.storageVersions?.map(({ apiServerID }) => apiServerID);

  async function untilReported(...ids: readonly string[]): Promise<StorageVersion | undefined> {
    let found: StorageVersion | undefined;
    await until(`${ids.join()} are left`, async () => {
      found = await find();
      return idsOf(found)?.join() === ids.join();
    });
    return found;
  }
  const untilGone = async () => until("it is gone", async () => (await find()) === undefined);

  test("of a server that is not there goes", async () => {
    await createVersion("id-non-exist");
    await untilGone();
  });

  test("of a server that is there stays, when that of another one goes", async () => {
    await createVersion("id-1", "id-non-exist");
    const left = await untilReported("id-1");
    expect(left?.status?.commonEncodingVersion).toBe("v1");
    expect(left?.status?.conditions).toMatchObject([{ type: "AllEncodingVersionsEqual", status: "True" }]);
    await versions().delete({ name: NAME });
  });

  test("loses what a server has reported with its Lease, and goes with the last one", async () => {
    await createVersion("id-1", "id-2");
    expect((await untilReported("id-1", "id-2"))?.status?.commonEncodingVersion).toBeUndefined();
    await leases().delete({ namespace: "kube-system", name: "id-1" });
    expect((await untilReported("id-2"))?.status?.commonEncodingVersion).toBe("v2");
    await leases().delete({ namespace: "kube-system", name: "id-2" });
    await untilGone();
  });
});
