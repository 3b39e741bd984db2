import { expect, test } from "vitest";
import { fakeClients } from "../../../test/harness/fake-clients.ts";
import { FakeTransport } from "../../../test/harness/fake-transport.ts";
import { stored } from "../../../test/harness/stored.ts";
import { CLAIM_FINALIZER } from "../../api/device-claims.ts";
import type { ResourceClaim } from "../../api/types/resource-v1.gen.ts";
import { openGate } from "../../leader/fence.ts";
import { fencedClient } from "../../leader/fenced-client.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ClaimsInFlight, writeClaims } from "./bind-devices.ts";
import type { ClaimWrite } from "./pod-devices.ts";

const CLAIMS = "PUT /apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const signal = new AbortController().signal;

function write(name: string, finalizers: readonly string[] = []): ClaimWrite {
  const claim = stored<ResourceClaim>({
    metadata: { namespace: "default", name, uid: name, resourceVersion: "1", finalizers },
    spec: {},
  });
  const results = [{ request: "r", driver: "d", pool: "p", device: name }];
  return { claim, status: { allocation: { devices: { results } } } };
}

/** Gives every object that it is sent back, as of a later version, or refuses. */
function server(refuses = ""): FakeTransport {
  return new FakeTransport(({ body, path }) => {
    if (refuses !== "" && path.endsWith(refuses))
      return { status: 409, body: { kind: "Status", reason: "Conflict" } };
    const object = body as ResourceClaim;
    return { body: { ...object, metadata: { ...object.metadata, resourceVersion: "2" } } };
  });
}

async function written(transport: FakeTransport, inFlight: ClaimsInFlight, ...writes: readonly ClaimWrite[]) {
  const client = fencedClient(fakeClients(transport, new VirtualClock()).client("scheduler"), openGate);
  await writeClaims({ client }, writes, inFlight, signal);
  return transport.requests.map(({ body }) => body as ResourceClaim);
}

test("a claim is held before it is allocated, beside what holds it already", async () => {
  const transport = server();
  const bodies = await written(transport, new ClaimsInFlight(), write("a", ["example.com/own"]));
  expect(transport.lines).toEqual([`${CLAIMS}/a`, `${CLAIMS}/a/status`]);
  expect(
    bodies.map(({ metadata: { finalizers, resourceVersion } }) => [finalizers, resourceVersion]),
  ).toEqual([
    [["example.com/own", CLAIM_FINALIZER], "1"],
    [["example.com/own", CLAIM_FINALIZER], "2"],
  ]);
  expect(bodies[1]?.status).toEqual(write("a").status);
});

test("a claim that is held needs one write", async () => {
  const transport = server();
  await written(transport, new ClaimsInFlight(), write("a", [CLAIM_FINALIZER]));
  expect(transport.lines).toEqual([`${CLAIMS}/a/status`]);
});

test("devices are taken until the cache shows whose they are", async () => {
  const inFlight = new ClaimsInFlight();
  const [a, b] = [write("a"), write("b")];
  await written(server(), inFlight, a, b);
  expect([inFlight.has("d/p/a"), inFlight.has("d/p/b"), inFlight.has("d/p/c")]).toEqual([true, true, false]);
  expect([inFlight.isOf(a.claim), inFlight.isOf(write("c").claim)]).toEqual([true, false]);
  inFlight.end(a.claim);
  expect([inFlight.has("d/p/a"), inFlight.has("d/p/b")]).toEqual([false, true]);
});

test("those of a claim that was refused, and of all that follow, are free again", async () => {
  const inFlight = new ClaimsInFlight();
  const transport = server("/b/status");
  await expect(written(transport, inFlight, write("a"), write("b"), write("c"))).rejects.toThrow("409");
  expect(transport.lines).toEqual(["a", "a/status", "b", "b/status"].map((each) => `${CLAIMS}/${each}`));
  expect(["a", "b", "c"].map((each) => inFlight.has(`d/p/${each}`))).toEqual([true, false, false]);
});
