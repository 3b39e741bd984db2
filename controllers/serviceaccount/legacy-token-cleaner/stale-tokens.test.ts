import type { Stored } from "../../../pkg/api/object.ts";
import { asStored } from "../../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Pod, Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { secretNames } from "./secret-names.ts";
import { decideFate, isTrackedLongEnough, isUnused } from "./stale-tokens.ts";

const NOW_MS = Date.parse("2023-06-01T10:00:00Z");
const account = asStored<ServiceAccount>({
  metadata: { namespace: "default", name: "bot", uid: "12345" },
  secrets: [{ name: "token-secret-1" }],
});

// upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner_test.go#TestLegacyServiceAccountTokenCleanUp
// Periods are written as the day on which they began.
describe("uses are noted for long enough", () => {
  test.each<[string, string | undefined, string, boolean | undefined]>([
    ["not when it is not said since when", undefined, "2022-12-28", undefined],
    ["not when that is no day", "2022-12-27-1", "2022-12-29", undefined],
    ["not when that is a day that never was", "2022-02-30", "2022-12-29", undefined],
    ["not within the period", "2022-12-29", "2022-12-29", false],
    ["not on the day after, which counts as the first", "2022-12-28", "2022-12-28", false],
    ["after the period", "2022-12-27", "2022-12-29", true],
  ])("%s", (_, since, begin, expected) => {
    expect(isTrackedLongEnough(since, NOW_MS, periodSince(begin))).toBe(expected);
  });
});

describe("a token is unused", () => {
  test.each<[string, SecretSketch, ServiceAccount | undefined, boolean]>([
    ["not when it is none", { type: "Opaque" }, account, false],
    ["not when it was made by hand", {}, { ...account, secrets: [] }, false],
    ["not when it is new", { created: "2022-12-30" }, account, false],
    ["not when it is being deleted", { deleted: true }, account, false],
    ["not when it was used", { lastUsed: "2022-12-30" }, account, false],
    ["not when it was used on the first day", { lastUsed: "2022-12-29" }, account, false],
    ["not when nobody can read when it was used", { lastUsed: "2022-12-27-1" }, account, false],
    ["not without its account", {}, undefined, false],
    ["not when its account is another one", { uid: "123456" }, account, false],
    ["not when it names no account", { account: "" }, account, false],
    ["when it was never used", {}, account, true],
    ["when it was used before", { lastUsed: "2022-12-27" }, account, true],
    ["when it names its account without a uid", { uid: "" }, account, true],
  ])("%s", (_, sketch, found, expected) => {
    const find = (name: string): ServiceAccount | undefined => (name === "bot" ? found : undefined);
    expect(isUnused(secret(sketch), find, NOW_MS, periodSince("2022-12-29"))).toBe(expected);
  });
});

describe("an unused token", () => {
  test.each<[string, string | undefined, string, string]>([
    ["is refused first", undefined, "2022-12-30", "invalidate"],
    ["is refused when nobody can read since when it is", "2022-12-29-1", "2022-12-30", "invalidate"],
    ["stays refused for a period", "2023-01-01", "2022-12-29", "wait"],
    ["stays refused until the end of the last day", "2022-12-29", "2022-12-29", "wait"],
    ["goes after that", "2022-12-29", "2023-01-01", "delete"],
  ])("%s", (_, invalidSince, begin, expected) => {
    const sketch = invalidSince === undefined ? {} : { invalidSince };
    expect(decideFate(secret(sketch), NOW_MS, periodSince(begin))).toBe(expected);
  });
});

test("pods refer to Secrets in many places", () => {
  const reference = (name: string) => ({ name });
  const container = (name: string) => ({
    name,
    env: [
      { name: "e", valueFrom: { secretKeyRef: { name: `${name}-env`, key: "k" } } },
      { name: "f", value: "x" },
    ],
    envFrom: [{ secretRef: { name: `${name}-from` } }, { configMapRef: { name: "no" } }],
  });
  const pod: Pod = {
    metadata: {},
    spec: {
      imagePullSecrets: [reference("pull")],
      containers: [container("a")],
      initContainers: [container("b")],
      ephemeralContainers: [container("c")],
      volumes: [
        { name: "1", secret: { secretName: "secret" } },
        { name: "2", azureFile: { secretName: "azure", shareName: "s" } },
        {
          name: "3",
          projected: { sources: [{ secret: reference("projected") }, { configMap: reference("no") }] },
        },
        { name: "4", csi: { driver: "d", nodePublishSecretRef: reference("csi") } },
        { name: "5", cephfs: { monitors: [], secretRef: reference("cephfs") } },
        { name: "6", cinder: { volumeID: "v", secretRef: reference("cinder") } },
        { name: "7", flexVolume: { driver: "d", secretRef: reference("flex") } },
        { name: "8", rbd: { image: "i", monitors: [], secretRef: reference("rbd") } },
        { name: "9", scaleIO: { gateway: "g", system: "s", secretRef: reference("scaleio") } },
        { name: "10", iscsi: { iqn: "i", lun: 0, targetPortal: "t", secretRef: reference("iscsi") } },
        { name: "11", storageos: { secretRef: reference("storageos") } },
        { name: "12", emptyDir: {} },
      ],
    },
  };
  expect([...secretNames(pod)].toSorted().join(" ")).toBe(
    "a-env a-from azure b-env b-from c-env c-from cephfs cinder csi flex iscsi projected pull rbd scaleio secret storageos",
  );
  expect([...secretNames({})]).toEqual([]);
});

interface SecretSketch {
  readonly type?: string;
  readonly created?: string;
  readonly deleted?: boolean;
  readonly lastUsed?: string;
  readonly invalidSince?: string;
  readonly account?: string;
  readonly uid?: string;
}

function secret(sketch: SecretSketch): Stored<Secret> {
  const {
    type,
    created = "2022-12-27",
    deleted,
    lastUsed,
    invalidSince,
    account: name = "bot",
    uid = "12345",
  } = sketch;
  return asStored<Secret>({
    metadata: {
      namespace: "default",
      name: "token-secret-1",
      creationTimestamp: `${created}T00:00:00Z`,
      ...(deleted && { deletionTimestamp: "2023-01-01T00:00:00Z" }),
      annotations: {
        "kubernetes.io/service-account.name": name,
        ...(uid !== "" && { "kubernetes.io/service-account.uid": uid }),
      },
      labels: {
        ...(lastUsed && { "kubernetes.io/legacy-token-last-used": lastUsed }),
        ...(invalidSince && { "kubernetes.io/legacy-token-invalid-since": invalidSince }),
      },
    },
    type: type ?? "kubernetes.io/service-account-token",
  });
}

function periodSince(day: string): number {
  return NOW_MS - Date.parse(day);
}
