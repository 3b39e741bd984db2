import { X509Certificate } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { ControllerWorld } from "../../test/harness/controller-world.ts";
import { resources } from "../api/resources.ts";
import { silentLogger } from "../log/logger.ts";
import { ServingCertificate } from "./serving-certificate.ts";
import { SharedAuthority } from "./shared-authority.ts";

const DAY_MS = 24 * 3_600_000;
const ref = { namespace: "default", name: "hooks" };
let world: ControllerWorld;
let replica: () => SharedAuthority;

beforeEach(() => {
  world = new ControllerWorld();
  const { client, clock } = world;
  replica = () => new SharedAuthority({ client, clock, log: silentLogger, ...ref });
});

const later = async (days: number): Promise<void> => world.clock.advanceBy(days * DAY_MS);

test("replicas that begin at the same time share one authority", async () => {
  const replicas = await Promise.all([1, 2, 3].map(async () => replica().authorities()));
  expect(new Set(replicas.map(({ bundle }) => bundle)).size).toBe(1);
  expect(replicas[0]?.bundle).toBe(replicas[0]?.current.cert);
});

test("a renewed authority is trusted beside the former one until that has expired", async () => {
  const first = await replica().authorities();
  await later(240);
  expect((await replica().authorities()).bundle).toBe(first.bundle);
  await later(5);
  const second = await replica().authorities();
  expect(second.current.cert).not.toBe(first.current.cert);
  expect(second.bundle).toBe(second.current.cert + first.current.cert);
  expect((await replica().authorities()).bundle).toBe(second.bundle);
  await later(130);
  expect((await replica().authorities()).bundle).toBe(second.current.cert);
});

test("a Secret that is empty is filled, and keeps what others have in it", async () => {
  const secrets = world.client.clientFor(resources.secrets);
  await secrets.create({ metadata: ref, data: { other: "eA==" } });
  await replica().authorities();
  const { data = {} } = await secrets.get(ref);
  expect([Object.keys(data).toSorted(), data["other"]]).toEqual([
    ["ca.crt", "ca.key", "former-ca.crt", "other"],
    "eA==",
  ]);
});

test("an authority that cannot be used is replaced", async () => {
  const secrets = world.client.clientFor(resources.secrets);
  await secrets.create({ metadata: ref, data: { "ca.crt": "eA==", "ca.key": "eA==" } });
  const { current, bundle } = await replica().authorities();
  expect(new X509Certificate(current.cert).ca).toBe(true);
  expect(bundle).toBe(current.cert);
});

test("a certificate is made once, and again when its time or its authority comes to an end", async () => {
  const certificate = new ServingCertificate(world.clock, ["hooks.default.svc"]);
  const first = await replica().authorities();
  const pair = await certificate.renewed(first.current);
  const shown = new X509Certificate(pair?.cert ?? "");
  expect(shown.checkHost("hooks.default.svc")).toBe("hooks.default.svc");
  expect(shown.checkIssued(new X509Certificate(first.current.cert))).toBe(true);
  expect(await certificate.renewed(first.current)).toBeUndefined();
  await later(245);
  const second = await replica().authorities();
  // API servers are given time to hear of it.
  expect(await certificate.renewed(second.current)).toBeUndefined();
  await world.clock.advanceBy(61_000);
  const renewed = await certificate.renewed(second.current);
  expect(new X509Certificate(renewed?.cert ?? "").checkIssued(new X509Certificate(second.current.cert))).toBe(
    true,
  );
  expect(certificate.pair).toBe(renewed);
});
