import { beforeEach, describe, expect, test } from "vitest";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { SelectorError } from "../api/labels.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { ApiObject, ObjectMeta } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { resources } from "../api/resources.ts";
import type { Logger } from "../log/logger.ts";
import { silentLogger } from "../log/logger.ts";
import type { WorkQueue } from "../workqueue/queue.ts";
import { createWorkQueue } from "../workqueue/work-queue.ts";
import { itself, itsOwner, type OwnerRule } from "./wake-rules.ts";

const resource = resources.replicaSets;
const one = object("one", { uid: "1", labels: { app: "web" } });
const two = object("two", { uid: "2", labels: { app: "web" } });

let clock: VirtualClock;
let queue: WorkQueue<string>;
let observed: string[];
beforeEach(() => {
  clock = new VirtualClock();
  queue = createWorkQueue<string>({ clock });
  observed = [];
});

function handlerOf(rule: Partial<OwnerRule<ApiObject, ApiObject>> = {}): RuleHandler<ApiObject> {
  const all: OwnerRule<ApiObject, ApiObject> = {
    owners: { lister: listerOf([one, two]), resource },
    selects: (owner, child) => owner.metadata.labels?.["app"] === child.metadata.labels?.["app"],
    observer: {
      creationObserved: ({ metadata }) => void observed.push(`${metadata.name} +`),
      deletionObserved: ({ metadata }, key) => void observed.push(`${metadata.name} -${key}`),
    },
    ...rule,
  };
  return ruleHandler(itsOwner(all), queue);
}

describe("an object wakes", () => {
  test("itself, when it came, changed or went", () => {
    const handler = ruleHandler(itself, queue);
    handler.onAdd(one, false);
    expect(drain(queue)).toEqual(["default/one"]);
    handler.onUpdate(one, version("2", one));
    expect(drain(queue)).toEqual(["default/one"]);
    handler.onDelete(one, false);
    expect(drain(queue)).toEqual(["default/one"]);
  });

  test("the owner that it had, too, when it was handed over", () => {
    handlerOf().onUpdate(child(one), version("2", child(two)));
    expect(drain(queue)).toEqual(["default/one", "default/two"]);
  });

  test("nobody when its owner is another object of that name", () => {
    handlerOf().onAdd(child(object("one", { uid: "earlier" })), false);
    expect([drain(queue), observed]).toEqual([[], []]);
  });

  test("its owner that is in no namespace, though the object is in one", () => {
    const node = asStored({ metadata: { name: "n", uid: "3" } });
    const handler = handlerOf({ owners: { lister: listerOf([node]), resource: resources.nodes } });
    const { apiVersion, kind } = { apiVersion: "v1", kind: "Node" };
    const owner = { apiVersion, kind, name: "n", uid: "3", controller: true };
    handler.onAdd(object("lease", { ownerReferences: [owner] }), false);
    expect(drain(queue)).toEqual(["n"]);
  });

  test("nobody when it goes, where its owner does not mind", () => {
    const handler = handlerOf({ minds: ({ metadata }) => metadata.name === "two" });
    handler.onDelete(child(one), false);
    handler.onUpdate(child(one), version("2", leaving(child(one))));
    expect([drain(queue), observed]).toEqual([[], []]);
    handler.onDelete(child(two), false);
    expect(drain(queue)).toEqual(["default/two"]);
  });

  test("its owner once when it is relabelled and deleted in one", () => {
    const relabelled = leaving(child(one, { labels: { app: "other" }, resourceVersion: "2" }));
    handlerOf().onUpdate(child(one), relabelled);
    expect([drain(queue), observed]).toEqual([["default/one"], ["one -default/child"]]);
  });

  test("nobody when it is told of again", () => {
    handlerOf().onUpdate(child(one), child(one));
    expect(drain(queue)).toEqual([]);
  });

  test("its owner after the time that the rule says", async () => {
    handlerOf({ afterMs: 1_000 }).onAdd(child(one), false);
    expect(drain(queue)).toEqual([]);
    await clock.advanceBy(1_000);
    expect(drain(queue)).toEqual(["default/one"]);
  });

  test("its owner once more, later, where the rule says so", async () => {
    handlerOf({ againAfterMs: () => 7_000 }).onUpdate(child(one), version("2", child(one)));
    expect(drain(queue)).toEqual(["default/one"]);
    await clock.advanceBy(7_000);
    expect(drain(queue)).toEqual(["default/one"]);
  });
});

describe("what is waited for", () => {
  test("is told before the owner is woken", () => {
    handlerOf().onAdd(child(one), false);
    handlerOf().onDelete(child(one), false);
    expect(observed).toEqual(["one +", "one -default/child"]);
  });

  test("is a deletion, not a creation, when the object is being deleted already", () => {
    handlerOf().onAdd(leaving(child(one)), true);
    expect(observed).toEqual(["one -default/child"]);
  });

  test("is told to both owners of an object that was handed over and deleted in one", () => {
    handlerOf().onUpdate(child(one), version("2", leaving(child(two))));
    expect(observed).toEqual(["two -default/child", "one -default/child"]);
    expect(drain(queue)).toEqual(["default/two", "default/one"]);
  });

  test("is a deletion and a creation where another object took the name between two looks", () => {
    const next = child(one, { uid: "next", resourceVersion: "2" });
    handlerOf().onUpdate(child(one), next);
    expect(observed).toEqual(["one -default/child", "one +"]);
  });
});

describe("an object that nobody controls", () => {
  test("wakes all who select it, and says in the log that they are several", () => {
    const warnings: unknown[] = [];
    const log: Logger = { ...silentLogger, warn: (_message, fields) => void warnings.push(fields) };
    handlerOf({ log }).onAdd(free({ app: "web" }), false);
    expect(drain(queue)).toEqual(["default/one", "default/two"]);
    expect(warnings).toEqual([
      { object: "default/child", kind: "ReplicaSet", owners: ["default/one", "default/two"] },
    ]);
  });

  test.each([
    ["without labels", free({}), {}],
    ["that is being deleted", leaving(free({ app: "web" })), {}],
    ["where nobody adopts", free({ app: "web" }), { selects: undefined }],
    ["whose selectors cannot be read", free({ app: "web" }), { selects: unreadable }],
  ])("wakes nobody %s", (_, orphan, rule) => {
    handlerOf(rule as Partial<OwnerRule<ApiObject, ApiObject>>).onAdd(orphan, false);
    expect([drain(queue), observed]).toEqual([[], []]);
  });

  test("wakes those who may adopt it when its labels change, and not otherwise", () => {
    handlerOf().onUpdate(free({ app: "web" }), version("2", free({ app: "web" })));
    expect(drain(queue)).toEqual([]);
    handlerOf().onUpdate(free({ app: "db" }), version("2", free({ app: "web" })));
    expect(drain(queue)).toEqual(["default/one", "default/two"]);
  });
});

test("an error of a rule's own is not taken for a selector that cannot be read", () => {
  const selects = (): boolean => {
    throw new Error("a defect");
  };
  expect(() => handlerOf({ selects }).onAdd(free({ app: "web" }), false)).toThrow("a defect");
});

function unreadable(): boolean {
  throw new SelectorError("not a selector");
}

function object(name: string, metadata: ObjectMeta): ApiObject {
  return { metadata: { namespace: "default", name, resourceVersion: "1", ...metadata } };
}

function child(owner: ApiObject, metadata: ObjectMeta = {}): ApiObject {
  const ownerReferences = [newControllerRef(asStored(owner), resource)];
  return object("child", { uid: "child", labels: { app: "web" }, ownerReferences, ...metadata });
}

function free(labels: Readonly<Record<string, string>>): ApiObject {
  return object("child", { uid: "child", labels });
}

function version(resourceVersion: string, { metadata, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata: { ...metadata, resourceVersion } };
}

function leaving({ metadata }: ApiObject): ApiObject {
  return { metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
}
