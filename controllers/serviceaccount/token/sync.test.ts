import { generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { conflict, internal } from "../../../pkg/apiserver/server/status-error.ts";
import { tokenSigner } from "../../../pkg/tokens/token-signer.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { serviceAccountTokenController } from "./controller.ts";

const CA = "CA data";
const signer = tokenSigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
const controller = serviceAccountTokenController({ workers: 2, signer: () => signer, rootCa: () => CA });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/serviceaccount/tokens_controller_test.go#TestTokenCreation
describe("an account", () => {
  test.each<[string, readonly string[]]>([
    ["no Secrets", []],
    ["a Secret that is not there", ["missing"]],
    ["a Secret of another type", ["opaque"]],
    ["a token", ["token"]],
  ])("with %s is left alone when it is new or changes, and takes nothing else with it", async (_, names) => {
    await world.start(controller);
    await account(names);
    if (names.includes("opaque"))
      await world.create<Secret>(resources.secrets, { metadata: { name: "opaque" } });
    if (names.includes("token")) await filledToken();
    await world.run();
    world.takeWrites();
    await world.update<ServiceAccount>(resources.serviceAccounts, "bot", labelled);
    await world.run();
    expect(linesTaken()).toEqual([]);
    await world.delete(resources.serviceAccounts, "bot");
    await world.run();
    expect(linesTaken()).toEqual(names.includes("token") ? ["delete secrets token"] : []);
  });

  test("that is gone takes only its own tokens with it, of the very objects that were seen", async () => {
    await account();
    await account([], "other");
    await world.start(controller);
    await token();
    await token({ name: "other-token", account: "other" });
    await world.run();
    world.takeWrites();
    const { uid } = (await world.get(resources.secrets, "token")).metadata;
    await world.delete(resources.serviceAccounts, "bot");
    await world.run();
    const writes = world.takeWrites();
    expect(writes.map(lineOf)).toEqual(["delete secrets token"]);
    expect(writes[0]?.body).toMatchObject({ preconditions: { uid } });
  });

  test("that is deleted and created anew unseen loses the tokens of the first", async () => {
    await account();
    await world.start(controller);
    await token();
    await world.run();
    world.takeWrites();
    const { faults, store } = world.server.parts;
    const repair = faults.add({
      target: { resource: "serviceaccounts", verb: "watch" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    faults.dropWatches({ resource: "serviceaccounts" });
    await world.delete(resources.serviceAccounts, "bot");
    await account();
    // The informer lists anew, and shows one as a change of the other.
    store.compact();
    repair();
    await world.run(120_000);
    expect(linesTaken()).toContain("delete secrets token");
  });
});

test("the tokens of an account that is gone all go, though the server refuses once", async () => {
  const { uid } = await account();
  await world.start(controller);
  for (const name of ["one", "two", "three"]) await token({ name, uid });
  await world.run();
  // The Secrets would go for their own sake, too, but nothing wakes them.
  world.server.parts.faults.holdWatches({ resource: "secrets" });
  for (const name of ["one", "three"]) {
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "secrets", name },
      action: { kind: "status", when: "before", error: internal("no") },
      times: 1,
    });
  }
  await world.delete(resources.serviceAccounts, "bot");
  await world.run();
  expect(await world.list(resources.secrets)).toEqual([]);
});

describe("credentials are of one account, not of a name", () => {
  test("a token of an account that is gone goes, though another account has the name", async () => {
    await account();
    await world.start(controller);
    await filledToken();
    await world.stop();
    await world.delete(resources.serviceAccounts, "bot");
    await account();
    await world.start(controller);
    expect(linesTaken()).toEqual(["delete secrets token"]);
  });

  test("a token of an account that is gone is not filled for another of the name", async () => {
    const { uid } = await account();
    await world.delete(resources.serviceAccounts, "bot");
    await account();
    await token({ uid });
    await world.start(controller);
    expect(linesTaken()).toEqual(["delete secrets token"]);
  });

  test("a token that asks for another account by now is not filled for the first", async () => {
    await account();
    await account([], "other");
    await token();
    world.server.parts.faults.add({
      target: { verb: "get", resource: "secrets" },
      action: { kind: "latency", ms: 10_000 },
      times: 1,
    });
    await world.start(controller);
    world.server.parts.faults.holdWatches({ resource: "secrets" });
    await world.client.clientFor(resources.secrets).patch(
      { namespace: "default", name: "token" },
      {
        type: "merge",
        body: { metadata: { annotations: { "kubernetes.io/service-account.name": "other" } } },
      },
    );
    await world.run(20_000);
    expect(linesTaken()).toEqual([]);
  });

  test("an account keeps its references when a token of another of the name goes", async () => {
    await account(["token"]);
    await world.start(controller);
    await filledToken();
    world.server.parts.faults.holdWatches({ resource: "serviceaccounts" });
    await world.delete(resources.serviceAccounts, "bot");
    await account(["token"]);
    await world.delete(resources.secrets, "token");
    await world.run();
    expect(linesTaken()).toEqual([]);
  });
});

describe("a token Secret", () => {
  test("is filled, and marked with its account", async () => {
    await account();
    await world.start(controller);
    await token();
    await world.run();
    expect(linesTaken()).toEqual(["update secrets token"]);
    const { uid } = (await world.get(resources.serviceAccounts, "bot")).metadata;
    const { data = {}, metadata } = await world.get<Secret>(resources.secrets, "token");
    expect(metadata.annotations).toEqual({
      "kubernetes.io/service-account.name": "bot",
      "kubernetes.io/service-account.uid": uid,
    });
    expect(textOf(data["ca.crt"])).toBe(CA);
    expect(textOf(data["namespace"])).toBe("default");
    expect(decodeJwt(textOf(data["token"]))).toMatchObject({
      sub: "system:serviceaccount:default:bot",
      "kubernetes.io/serviceaccount/service-account.uid": uid,
    });
  });

  test.each<[string, (data: Data) => Data, boolean]>([
    ["the token", without("token"), true],
    ["the CA", without("ca.crt"), true],
    ["the right CA", (data) => ({ ...data, "ca.crt": base64("mismatched") }), true],
    ["the namespace", without("namespace"), true],
    ["its own namespace", (data) => ({ ...data, namespace: base64("custom") }), false],
  ])("that is new or changes and lacks %s is repaired if it must be", async (_, change, isRepaired) => {
    await account();
    await world.start(controller);
    const right = (await filledToken()).data ?? {};
    await world.update<Secret>(resources.secrets, "token", (secret) => ({
      ...secret,
      data: change(secret.data ?? {}),
    }));
    await world.run();
    expect(linesTaken().includes("update secrets token")).toBe(isRepaired);
    if (!isRepaired) return;
    const { data = {} } = await world.get<Secret>(resources.secrets, "token");
    expect({ ...data, token: "" }).toEqual({ ...right, token: "" });
    expect(data["token"]).toBeTruthy();
  });

  test.each(["new", "changed"])("without its account is deleted, when %s", async (how) => {
    const { uid } = await account();
    if (how === "new") await world.delete(resources.serviceAccounts, "bot");
    await world.start(controller);
    await token({ uid });
    await world.run();
    if (how === "changed") {
      world.takeWrites();
      await world.delete(resources.serviceAccounts, "bot");
      await world.run();
    }
    expect(linesTaken()).toEqual(["delete secrets token"]);
  });

  test("is not deleted because the cache does not have its account yet", async () => {
    await world.start(controller);
    world.server.parts.faults.holdWatches({ resource: "serviceaccounts" });
    await account();
    await token();
    await world.run();
    expect(linesTaken()).toEqual(["update secrets token"]);
  });

  test("that somebody changes at the same time is filled at the next look", async () => {
    await account();
    await world.start(controller);
    world.server.parts.faults.add({
      target: { verb: "update", resource: "secrets" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          await world.client
            .clientFor(resources.secrets)
            .patch(
              { namespace: "default", name: "token" },
              { type: "merge", body: labelled({ metadata: {} }) },
            );
        },
      },
    });
    await token();
    await world.run();
    expect(world.takeWrites().map(({ status }) => status)).toEqual([409, 200]);
  });

  test("that cannot be written is tried again ten times, and then left until it changes", async () => {
    await account();
    await world.start(controller);
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "secrets" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await token();
    await world.run(600_000);
    expect(world.takeWrites()).toHaveLength(11);
    repair();
    await world.client
      .clientFor(resources.secrets)
      .patch({ namespace: "default", name: "token" }, { type: "merge", body: labelled({ metadata: {} }) });
    await world.run();
    expect(linesTaken()).toEqual(["update secrets token"]);
  });
});

test("an account keeps its reference when its token Secret was replaced unseen", async () => {
  await account(["token"]);
  await world.start(controller);
  await filledToken();
  const show = world.hideEvents("secrets");
  await world.delete(resources.secrets, "token");
  await token();
  show();
  await world.run(60_000);
  expect(linesTaken()).toEqual(["update secrets token"]);
});

describe("when a token Secret is gone", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["loses its reference", ["token", "kept"], ["update serviceaccounts bot"]],
    ["without one is left alone", ["kept"], []],
  ])("the account %s", async (_, names, expected) => {
    await account(names);
    await world.start(controller);
    await filledToken();
    await world.delete(resources.secrets, "token");
    await world.run();
    expect(linesTaken()).toEqual(expected);
    const { secrets } = await world.get<ServiceAccount>(resources.serviceAccounts, "bot");
    expect(secrets).toEqual([{ name: "kept" }]);
  });

  test("nothing is done without its account", async () => {
    const { uid } = await account();
    await world.start(controller);
    await filledToken(uid);
    await world.delete(resources.secrets, "token");
    await world.delete(resources.serviceAccounts, "bot");
    await world.run();
    expect(linesTaken().filter((line) => line.startsWith("update"))).toEqual([]);
  });

  test.each([
    [9, 10],
    [10, 10],
  ])(
    "and the account is changed %i times, its reference is removed in %i attempts at most",
    async (times, attempts) => {
      await account(["token"]);
      await world.start(controller);
      await filledToken();
      world.server.parts.faults.add({
        target: { verb: "update", resource: "serviceaccounts" },
        times,
        action: { kind: "status", when: "before", error: conflict(resources.serviceAccounts, "bot") },
      });
      await world.delete(resources.secrets, "token");
      await world.run(60_000);
      expect(linesTaken()).toHaveLength(attempts);
      const { secrets = [] } = await world.get<ServiceAccount>(resources.serviceAccounts, "bot");
      expect(secrets).toHaveLength(times < attempts ? 0 : 1);
    },
  );
});

type Data = Readonly<Record<string, string>>;

function without(key: string): (data: Data) => Data {
  return (data) => Object.fromEntries(Object.entries(data).filter(([each]) => each !== key));
}

async function account(secrets: readonly string[] = [], name = "bot"): Promise<ServiceAccount["metadata"]> {
  const references = secrets.map((secret) => ({ name: secret }));
  const body = { metadata: { name }, ...(references.length > 0 && { secrets: references }) };
  return (await world.create<ServiceAccount>(resources.serviceAccounts, body)).metadata;
}

interface TokenSketch {
  readonly name?: string;
  readonly account?: string;
  readonly uid?: string | undefined;
}

async function token({ name = "token", account: owner = "bot", uid }: TokenSketch = {}): Promise<void> {
  await world.create<Secret>(resources.secrets, {
    metadata: {
      name,
      annotations: {
        "kubernetes.io/service-account.name": owner,
        ...(uid && { "kubernetes.io/service-account.uid": uid }),
      },
    },
    type: "kubernetes.io/service-account-token",
  });
}

/** A token that was filled already; the writes so far are forgotten. */
async function filledToken(uid?: string): Promise<Secret> {
  await token({ uid });
  await world.run();
  world.takeWrites();
  return world.get<Secret>(resources.secrets, "token");
}

function labelled<T extends { readonly metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, labels: { touched: "yes" } } };
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function textOf(data: string | undefined): string {
  return Buffer.from(data ?? "", "base64").toString();
}
