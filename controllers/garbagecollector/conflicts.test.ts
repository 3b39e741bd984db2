import { expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import { KeyQueue } from "../../pkg/controller/key-queue.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { syncOf } from "../../test/harness/sync-of.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { scenarios } from "./conflicts.test-data.ts";
import { absentOwners, type CollectorContext } from "./context.ts";
import { Graph, type GraphNode } from "./graph.ts";
import { GraphChange } from "./graph-change.ts";
import { describeIdentity, identityKey, type ObjectIdentity } from "./identity.ts";
import { collect } from "./sync-collect-objects.ts";
import { processChange } from "./sync-process-changes.ts";

const identities: Readonly<Record<string, ObjectIdentity>> = {
  pod1: id(["v1", "Pod"], "ns1", "podname1", "poduid1"),
  pod1nowhere: id(["v1", "Pod"], "", "podname1", "poduid1"),
  pod2: id(["v1", "Pod"], "ns1", "podname2", "poduid2"),
  pod2ns2: id(["v1", "Pod"], "ns2", "podname2", "poduid2"),
  node1: id(["v1", "Node"], "", "nodename", "nodeuid1"),
  node1ns1: id(["v1", "Node"], "ns1", "nodename", "nodeuid1"),
  role: id(["rbac.authorization.k8s.io/v1", "Role"], "ns1", "role1", "roleuid1"),
  roleBeta: id(["rbac.authorization.k8s.io/v1beta1", "Role"], "ns1", "role1", "roleuid1"),
  deployment: id(["apps/v1", "Deployment"], "ns1", "deployment1", "deploymentuid1"),
  oldDeployment: id(["extensions/v1beta1", "Deployment"], "ns1", "deployment1", "deploymentuid1"),
  wrongSecret: id(["v1", "Secret"], "ns1", "secretname", "deploymentuid1"),
  badPod: id(["v1", "Pod"], "ns1", "badpod", "badpoduid"),
  goodPod: id(["v1", "Pod"], "ns1", "goodpod", "goodpoduid"),
};
const labels = new Map(Object.entries(identities).map(([label, of]) => [identityKey(of), label]));
/** What is served; extensions/v1beta1 is not. */
const kinds: readonly Resource[] = [
  { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true },
  { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
  { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false },
  { group: "apps", version: "v1", plural: "deployments", kind: "Deployment", namespaced: true },
  { group: "rbac.authorization.k8s.io", version: "v1", plural: "roles", kind: "Role", namespaced: true },
  { group: "rbac.authorization.k8s.io", version: "v1beta1", plural: "roles", kind: "Role", namespaced: true },
];

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestConflictingData
const cases = scenarios
  .trim()
  .split("\n## ")
  .map((text): [string, readonly string[]] => {
    const [name = "", ...steps] = text.replace(/^## /, "").trim().split("\n");
    return [name, steps];
  });

test.each(cases)("%s", async (_, steps) => {
  const bench = new Bench();
  for (const [index, line] of steps.entries()) {
    const [step = "", ...expected] = line.split(" | ");
    await bench.perform(step);
    bench.checkGraph();
    const outcome = bench.takeOutcome();
    if (expected.length > 0) expect(outcome, `after step ${index}, ${step}`).toBe(expected.join(" | "));
  }
});

test("there are 16 scenarios", () => expect(cases).toHaveLength(16));

/** A collector of which nothing moves but what a step says, and a server that is a list. */
class Bench {
  readonly #graph = new Graph();
  readonly #absentOwners = absentOwners();
  readonly #changes = new SteppedQueue<GraphChange>();
  readonly #toDelete = new SteppedQueue<GraphNode>();
  readonly #server = new Map<string, ApiObject>();
  #asked: string[] = [];
  #events: string[] = [];

  async perform(step: string): Promise<void> {
    const [verb = "", label = "", , ...owners] = step.split(" ");
    const object = objectOf(label, owners);
    if (verb === "create") this.#server.set(label, object);
    else if (verb === "remove") this.#server.delete(label);
    else if (verb === "collect") await this.#collect();
    else if (verb === "learn") await this.#learn();
    else if (verb === "sneaked") this.#changes.unshift(GraphChange.seen(object));
    else await this.#see(verb === "seen" ? GraphChange.seen(object) : GraphChange.deleted(object));
  }

  /** Every dependent names its owner, and every owner that there is knows it. */
  checkGraph(): void {
    for (const node of this.#graph.nodes()) {
      for (const dependent of node.dependents)
        expect(dependent.owners.map(({ uid }) => uid)).toContain(node.identity.uid);
      for (const { uid } of node.owners)
        expect(this.#graph.get(uid)?.dependents.has(node) ?? true).toBe(true);
    }
  }

  takeOutcome(): string {
    const absent = Object.keys(identities).filter((label) =>
      this.#absentOwners.has(identityKey(identityOf(label))),
    );
    const outcome = {
      graph: [...this.#graph.nodes()].map(labelOfNode).toSorted().join(" "),
      delete: this.#toDelete.keys.map(labelOfNode).join(" "),
      asked: this.#asked.join(", "),
      absent: absent.toSorted().join(" "),
      changes: this.#changes.keys.map(({ type, identity }) => `${type} ${labelOf(identity)}`).join(", "),
      events: this.#events.join(", "),
    };
    this.#asked = [];
    this.#events = [];
    return Object.entries(outcome)
      .filter(([, text]) => text !== "")
      .map(([name, text]) => `${name} ${text}`)
      .join(" | ");
  }

  async #see(change: GraphChange): Promise<void> {
    expect(this.#changes.length).toBe(0);
    this.#changes.add(change);
    await this.#learn();
  }

  async #learn(): Promise<void> {
    const change = this.#changes.tryGet();
    if (change === undefined) throw new Error("there is nothing to learn");
    await processChange(syncOf(change), this.#context());
  }

  async #collect(): Promise<void> {
    const node = this.#toDelete.tryGet();
    if (node === undefined) throw new Error("there is nothing to look at");
    const { backOff } = await collect(syncOf(node), this.#context());
    if (backOff) this.#toDelete.addRateLimited(node);
  }

  #context(): CollectorContext {
    const refuse = (): never => {
      throw new Error("no scenario needs this");
    };
    const context = {
      graph: this.#graph,
      absentOwners: this.#absentOwners,
      changes: new KeyQueue(this.#changes),
      toDelete: new KeyQueue(this.#toDelete),
      toOrphan: new KeyQueue(new SteppedQueue<GraphNode>()),
      mapper: {
        resourceOf: async (apiVersion: string, kind: string) => {
          const found = kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
          return found && { ...found, verbs: [], subresources: [], shortNames: [], categories: [] };
        },
      },
      client: { metadata: (resource: Resource) => this.#client(resource) },
      monitors: { find: () => undefined, all: () => [] },
      events: {
        event: (_: ApiObject, type: string, reason: string, message: string) =>
          this.#record(`${type} ${reason} ${message}`),
      },
      clock: new VirtualClock(),
      random: { next: refuse },
    };
    return context as unknown as CollectorContext;
  }

  #record(line: string): void {
    const match =
      /^Warning OwnerRefInvalidNamespace ownerRef \[.*, namespace: (\S*), name: (\S+), uid: .*\] does not exist in namespace "(.*)"$/.exec(
        line,
      );
    expect(match?.[1], line).toBe(match?.[3]);
    this.#events.push(`${match?.[2]} in "${match?.[1]}"`);
  }

  #client(resource: Resource): ResourceClient {
    const find = (verb: string, namespace: string, name: string): ApiObject => {
      const apiVersion = apiVersionOf(resource);
      const [label = ""] =
        Object.entries(identities).find(
          ([, of]) =>
            of.apiVersion === apiVersion &&
            of.kind === resource.kind &&
            of.name === name &&
            of.namespace === namespace,
        ) ?? [];
      this.#asked.push(`${verb} ${label}`);
      const object = this.#server.get(label);
      if (object !== undefined) return object;
      throw new ApiError("not found", { code: 404, reason: "NotFound", method: "GET", path: "" });
    };
    return {
      resource,
      get: async ({ namespace = "", name }: { namespace?: string; name: string }) =>
        find("get", namespace, name),
      delete: async ({ namespace = "", name }: { namespace?: string; name: string }) =>
        find("delete", namespace, name),
    } as unknown as ResourceClient;
  }
}

/** A queue without time: what is to come later comes at once. */
class SteppedQueue<K> implements WorkQueue<K> {
  keys: K[] = [];
  readonly shuttingDown = false;

  get length(): number {
    return this.keys.length;
  }

  unshift(key: K): void {
    this.keys.unshift(key);
  }

  add(key: K): void {
    if (!this.keys.includes(key)) this.keys.push(key);
  }

  addAfter(key: K): void {
    this.add(key);
  }

  addRateLimited(key: K): void {
    this.add(key);
  }

  tryGet(): K | undefined {
    return this.keys.shift();
  }

  async get(): Promise<K | undefined> {
    return this.tryGet();
  }

  requeues(): number {
    return 0;
  }

  forget(): void {
    this.#nothing();
  }

  done(): void {
    this.#nothing();
  }

  shutDown(): void {
    this.#nothing();
  }

  async shutDownWithDrain(): Promise<void> {
    this.#nothing();
  }

  #nothing(): void {
    // Every step is looked at as a whole: there is nothing to keep between two of them.
  }
}

function id(
  [apiVersion, kind]: readonly [string, string],
  namespace: string,
  name: string,
  uid: string,
): ObjectIdentity {
  return { apiVersion, kind, namespace, name, uid };
}

function identityOf(label: string): ObjectIdentity {
  const identity = identities[label];
  if (identity === undefined) throw new Error(`${label} is not defined`);
  return identity;
}

function objectOf(label: string, owners: readonly string[]): ApiObject {
  if (label === "") return { metadata: {} };
  const { apiVersion, kind, namespace, name, uid } = identityOf(label);
  const ownerReferences = owners.map((owner): OwnerReference => {
    const { namespace: _, ...reference } = identityOf(owner);
    return reference;
  });
  return {
    apiVersion,
    kind,
    metadata: { ...(namespace !== "" && { namespace }), name, uid, ownerReferences },
  };
}

function labelOf(identity: ObjectIdentity): string {
  return labels.get(identityKey(identity)) ?? describeIdentity(identity);
}

function labelOfNode({ identity, virtual }: GraphNode): string {
  return `${virtual ? "?" : ""}${labelOf(identity)}`;
}

function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}
