import { findCondition } from "../../pkg/api/conditions.ts";
import { keyOf, type ApiObject, type ObjectRef } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Event, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isNotFound, isTooManyRequests } from "../../pkg/client/errors.ts";
import type { PropagationPolicy } from "../../pkg/api/propagation-policy.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { hollowNodeName } from "../../pkg/cluster/hollow/node-object.ts";
import { type Area, areas } from "./area.ts";
import { ATTACHMENTS } from "./activity.ts";
import type { Arena } from "./arena.ts";
import { isObserved, valueAt } from "./object-value.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { Place } from "./place.ts";
import {
  areaOf,
  type Expected,
  type PodChoice,
  READINESS_GATE,
  type Scenario,
  type Step,
  type Target,
} from "./scenario.ts";
import { VolumeSteps } from "./volume-steps.ts";

const POLL_MS = 50;
const LIMIT_MS = 180_000;
const REVISION = "deployment.kubernetes.io/revision";

/** Plays a scenario in a namespace of its own and tells what has come of it. */
export async function runScenario(scenario: Scenario, arena: Arena): Promise<Outcome> {
  const place = new Place(arena.client, scenario.name);
  await place.open();
  const spaces = spacesOf(scenario, place);
  const settled = async (): Promise<void> => {
    for (const space of spaces) await arena.activity.settled(space);
  };
  await settled();
  const play = new Play(arena, place, spaces);
  if (areaOf(scenario) === "volumes") await place.openDefault();
  if (scenario.flags !== undefined) {
    await place.openDefault();
    await arena.restartManager(scenario);
  }
  const { namespace } = place;
  for (const [index, step] of scenario.steps.entries()) {
    try {
      await settled();
      if (step.do === "restart manager") await arena.restartManager(scenario);
      else await play.take(step);
      // Of what has no namespace it is not known before whose it is.
      arena.activity.touch(namespace);
    } catch (error) {
      throw new Error(`${scenario.name}, step ${index} (${step.do}): ${String(error)}`, { cause: error });
    }
  }
  await settled();
  const outcome = await play.outcome(areaOf(scenario));
  await place.removeNodes();
  return outcome;
}

/** Nodes have no namespace; hollow ones are whoever's who runs alone. */
function spacesOf(scenario: Scenario, { namespace }: Place): readonly string[] {
  const { kinds, nodes = 0 } = areas[areaOf(scenario)];
  if (!kinds.includes(resources.nodes)) return [namespace];
  return [namespace, ...Array.from({ length: nodes }, (_, index) => hollowNodeName(index))];
}

class Play {
  readonly #arena: Arena;
  readonly #place: Place;
  /** With the number of writes that there were before the scenario. */
  readonly #spaces: ReadonlyMap<string, number>;
  readonly #volumes: VolumeSteps;

  constructor(arena: Arena, place: Place, spaces: readonly string[]) {
    this.#arena = arena;
    this.#place = place;
    this.#volumes = new VolumeSteps(arena.client, place);
    this.#spaces = new Map(spaces.map((space) => [space, arena.activity.writesTo(space).length]));
  }

  async take(step: Exclude<Step, { do: "restart manager" }>): Promise<void> {
    switch (step.do) {
      case "create volume":
        return this.#volumes.createVolume(step);
      case "bind claim":
        return this.#volumes.bind(step.name);
      case "patch attachments":
        return this.#volumes.patchAttachments(step);
      case "until attachments":
        return this.#poll(async () => {
          const seen = await this.#volumes.attachmentsOf(step.node);
          return { met: seen.length === step.are, seen: seen.map(keyOf) };
        });
      case "create":
        return this.#place.create(step);
      case "patch":
        return this.#patch(step.target, step.body, step.subresource);
      case "delete":
        return this.#delete(step.target, step.policy);
      case "undo":
        return this.#undo(step.deployment, step.toRevision);
      case "patch revision": {
        const set = await this.#revision(step.deployment, step.revision);
        return this.#patch(`replicaSets/${set.metadata.name ?? ""}`, step.body);
      }
      case "patch pods":
        return this.#eachPod(step.pods, async (ref) => this.#patchPod(ref, step.body));
      case "patch pod status":
        return this.#eachPod(step.pods, async (ref) => this.#patchPod(ref, step.body, "status"));
      case "let pods be ready": {
        const body = { status: { conditions: [{ type: READINESS_GATE, status: "True" }] } };
        return this.#eachPod(step.pods, async (ref) => this.#patchPod(ref, body, "status"));
      }
      case "delete pods":
        return this.#eachPod(step.pods, async (ref) => {
          await this.#arena.client.clientFor(resources.pods).delete(ref);
        });
      case "evict pods":
        return this.#eachPod(step.pods, async (ref) => this.#evict(ref, step.answer));
      case "measure":
        return this.#arena.metrics.set(this.#place.namespace, step.load);
      case "stays":
        return this.#stays(step.target, step.holds, step.forMs);
      case "until":
        return this.#until(step.target, step.holds);
      case "own": {
        const ownerReferences = await this.#place.references(step.owners);
        return this.#patch(step.target, { metadata: { ownerReferences } });
      }
      case "until present":
        return this.#untilPresent(step.target, step.path);
      case "until gone":
        return this.#untilGone(step.target);
      case "until pods":
        return this.#untilPods(step.pods, step.are);
      case "create nodes":
        return this.#eachNode(step, async (name) => {
          const object = { apiVersion: "v1", kind: "Node", metadata: { name } };
          await this.#place.create({ do: "create", object });
        });
      case "delete nodes":
        return this.#eachNode(step, async (name) => this.#delete(`nodes/${name}`));
      case "patch nodes": {
        const { body } = step;
        const nodes = this.#arena.client.clientFor(resources.nodes);
        const all = await this.#place.nodes();
        await Promise.all(
          all.map(async ({ metadata: { name } }) => nodes.patch({ name }, { type: "merge", body })),
        );
        return;
      }
      case "until nodes":
        return this.#untilNodes(step.holds);
    }
  }

  async outcome(area: Area): Promise<Outcome> {
    const { client, activity } = this.#arena;
    const { namespace } = this.#place;
    const objects = await this.#place.list(areas[area].kinds);
    const { items } = await client.clientFor<Event>(resources.events).list({ namespace });
    const events = [...items, ...(await this.#place.eventsOfNodes())];
    const writes = [
      ...[...this.#spaces].flatMap(([space, before]) => activity.writesTo(space).slice(before)),
      ...activity.writesTo(ATTACHMENTS).filter(({ name }) => this.#volumes.seen.has(name)),
    ];
    return outcomeOf(objects, events, writes);
  }

  async #patch(target: Target, body: unknown, subresource?: string): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    const client = this.#arena.client.dynamic(resource);
    const patch = { type: "merge", body } as const;
    if (subresource === undefined) await client.patch(ref, patch);
    else await client.patchSubresource(ref, subresource, patch);
  }

  async #delete(target: Target, propagationPolicy: PropagationPolicy = "Background"): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    await this.#arena.client.dynamic(resource).delete(ref, { propagationPolicy });
  }

  /** Strategic, so that conditions are merged. */
  async #patchPod(ref: ObjectRef, body: unknown, subresource?: "status"): Promise<void> {
    const options = subresource === undefined ? {} : { subresource };
    const client = this.#arena.client.clientFor<Pod>(resources.pods);
    await client.patch(ref, { type: "strategic", body }, options);
  }

  async #evict(ref: ObjectRef, answer: "done" | "too many requests"): Promise<void> {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: ref };
    let answered: typeof answer = "done";
    try {
      await this.#arena.client.clientFor(resources.pods).createSubresource(ref, "eviction", body);
    } catch (error) {
      if (!isTooManyRequests(error)) throw error;
      answered = "too many requests";
    }
    if (answered !== answer) throw new Error(`the eviction was answered with: ${answered}`);
  }

  async #eachPod(choice: PodChoice, act: (ref: ObjectRef) => Promise<void>): Promise<void> {
    const pods = await this.#pods(choice);
    const { count = pods.length } = choice;
    if (pods.length < count) throw new Error(`there are ${pods.length} such pods, not ${count}`);
    for (const { metadata } of pods.slice(0, count))
      await act({ namespace: this.#place.namespace, name: metadata.name ?? "" });
  }

  async #pods({ selector, ready }: PodChoice): Promise<readonly Pod[]> {
    const { items } = await this.#arena.client.clientFor<Pod>(resources.pods).list({
      namespace: this.#place.namespace,
      ...(selector === undefined ? {} : { labelSelector: selector }),
    });
    const isReady = (pod: Pod): boolean => findCondition(pod.status?.conditions, "Ready")?.status === "True";
    return items
      .filter((pod) => ready === undefined || isReady(pod) === ready)
      .toSorted((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1));
  }

  async #revision(deployment: string, revision: number): Promise<ReplicaSet> {
    const { items } = await this.#arena.client
      .clientFor<ReplicaSet>(resources.replicaSets)
      .list({ namespace: this.#place.namespace });
    const found = items.find(
      ({ metadata }) =>
        metadata.annotations?.[REVISION] === String(revision) &&
        metadata.ownerReferences?.some(({ name }) => name === deployment) === true,
    );
    if (found === undefined) throw new Error(`${deployment} has no revision ${revision}`);
    return found;
  }

  async #undo(deployment: string, toRevision: number): Promise<void> {
    const set = await this.#revision(deployment, toRevision);
    const { "pod-template-hash": _, ...labels } = set.spec?.template?.metadata?.labels ?? {};
    const template = { ...set.spec?.template, metadata: { ...set.spec?.template?.metadata, labels } };
    const ref = { namespace: this.#place.namespace, name: deployment };
    const client = this.#arena.client.clientFor<Deployment>(resources.deployments);
    const { metadata } = await client.get(ref);
    const annotations = {
      ...Object.fromEntries(Object.entries(set.metadata.annotations ?? {}).filter(([key]) => !isOwn(key))),
      ...Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => isOwn(key))),
    };
    const body = [
      { op: "replace", path: "/spec/template", value: template },
      { op: "replace", path: "/metadata/annotations", value: annotations },
    ] as const;
    await client.patch(ref, { type: "json", body });
  }

  async #until(target: Target, holds: Expected): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    await this.#poll(async () => {
      const object = await this.#find(resource, ref);
      if (object === undefined) return { met: false, seen: undefined };
      const seen = Object.fromEntries(Object.keys(holds).map((path) => [path, valueAt(object, path)]));
      const met = isObserved(object) && Object.entries(holds).every(([path, value]) => seen[path] === value);
      return { met, seen: { ...seen, status: valueAt(object, "status") } };
    });
  }

  async #stays(target: Target, holds: Expected, forMs: number): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    const { clock } = this.#arena;
    const endMs = clock.monotonicMs() + forMs;
    while (clock.monotonicMs() < endMs) {
      const object = await this.#arena.client.dynamic(resource).get(ref);
      for (const [path, value] of Object.entries(holds)) {
        const seen = valueAt(object, path);
        if (seen !== value) throw new Error(`${path} is ${JSON.stringify(seen)}, and not ${value}`);
      }
      await sleep(clock, POLL_MS);
    }
  }

  async #untilPresent(target: Target, path: string): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    await this.#poll(async () => {
      const object = await this.#find(resource, ref);
      return { met: object !== undefined && valueAt(object, path) !== undefined, seen: object };
    });
  }

  async #untilGone(target: Target): Promise<void> {
    const [resource, ref] = this.#place.refOf(target);
    await this.#poll(async () => {
      const object = await this.#find(resource, ref);
      return { met: object === undefined, seen: object };
    });
  }

  async #untilPods(choice: PodChoice, are: number): Promise<void> {
    await this.#poll(async () => {
      const pods = await this.#pods(choice);
      return { met: pods.length === are, seen: pods.map((pod) => `${keyOf(pod)} ${pod.status?.phase}`) };
    });
  }

  async #poll(look: () => Promise<{ readonly met: boolean; readonly seen: unknown }>): Promise<void> {
    const { clock } = this.#arena;
    const startMs = clock.monotonicMs();
    for (;;) {
      const { met, seen } = await look();
      if (met) return;
      if (clock.monotonicMs() - startMs > LIMIT_MS)
        throw new Error(`not within ${LIMIT_MS} ms; last seen: ${JSON.stringify(seen)}`);
      await sleep(clock, POLL_MS);
    }
  }

  /** At the same time. */
  async #eachNode(
    { from, to }: { readonly from: number; readonly to: number },
    act: (name: string) => Promise<void>,
  ): Promise<void> {
    await Promise.all(Array.from({ length: to - from }, async (_, index) => act(`.${from + index}`)));
  }

  async #untilNodes(holds: Expected): Promise<void> {
    const isMet = (node: ApiObject): boolean =>
      Object.entries(holds).every(([path, value]) => valueAt(node, path) === value);
    await this.#poll(async () => {
      const seen = (await this.#place.nodes()).filter((node) => !isMet(node));
      return { met: seen.length === 0, seen: seen.slice(0, 3) };
    });
  }

  async #find(resource: Resource, ref: ObjectRef): Promise<ApiObject | undefined> {
    try {
      return await this.#arena.client.dynamic(resource).get(ref);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** Annotations that kubectl leaves as they are on the Deployment. */
function isOwn(annotation: string): boolean {
  return (
    annotation.startsWith("deployment.kubernetes.io/") || annotation.startsWith("deprecated.deployment.")
  );
}

function ageKey({ metadata }: Pod): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
}
