import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PodSpec, PodTemplateSpec, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import { STOPS_AFTER_ANNOTATION } from "../../../pkg/cluster/hollow/pod-life.ts";
import { MISSING_IMAGE } from "../../../pkg/cluster/hollow/image-pull.ts";
import { SCRIPT_ANNOTATION } from "../../../pkg/cluster/hollow/script.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";

/** Cannot be pulled. */
export const BAD_IMAGE = MISSING_IMAGE;
const IMAGES = ["app:1", "app:2", "app:3", "app:4"];
/** Half the containers are ready at once, the others after a while. */
const SCRIPTS = [null, null, null, "sleep 2; ready; run", "sleep 20; ready; run", "sleep 60; ready; run"];
const AMOUNTS = [0, 1, 2, 3, "10%", "25%", "50%", "100%"];

export function pickImage(random: Random): string {
  return IMAGES[randomBelow(random, IMAGES.length)] ?? "";
}

/** Annotations for a merge patch: null takes the script away. */
export function pickScript(random: Random): Record<string, string | null> {
  return { [SCRIPT_ANNOTATION]: SCRIPTS[randomBelow(random, SCRIPTS.length)] ?? null };
}

export function hasBadImage(spec: PodSpec | undefined): boolean {
  return (spec?.containers ?? []).some(({ image }) => image === BAD_IMAGE);
}

export function podTemplate(random: Random, app: string): PodTemplateSpec {
  const script = pickScript(random)[SCRIPT_ANNOTATION];
  return {
    metadata: { labels: { app }, ...(script && { annotations: { [SCRIPT_ANNOTATION]: script } }) },
    spec: {
      containers: [{ name: "main", image: pickImage(random) }],
      ...(random.next() < 0.5 && { terminationGracePeriodSeconds: 2 }),
    },
  };
}

function minReady(random: Random): { minReadySeconds?: number } {
  return random.next() < 0.7 ? {} : { minReadySeconds: 1 + randomBelow(random, 15) };
}

export function newDeployment(random: Random): Deployment {
  const name = `web-${randomBelow(random, 4)}`;
  const maxSurge = AMOUNTS[randomBelow(random, AMOUNTS.length)] ?? 0;
  const maxUnavailable = AMOUNTS[randomBelow(random, AMOUNTS.length)] ?? 0;
  // Both at 0 would let nothing move.
  const rollingUpdate = { maxSurge: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxSurge, maxUnavailable };
  return {
    metadata: { name },
    spec: {
      replicas: randomBelow(random, 11),
      selector: { matchLabels: { app: name } },
      template: podTemplate(random, name),
      strategy: random.next() < 0.2 ? { type: "Recreate" } : { type: "RollingUpdate", rollingUpdate },
      ...minReady(random),
      ...(random.next() < 0.5 && { revisionHistoryLimit: randomBelow(random, 4) }),
      ...(random.next() < 0.5 && { progressDeadlineSeconds: 30 + randomBelow(random, 300) }),
    },
  };
}

/** One whose pods take their time to end. */
export function newSlowDeployment(random: Random): Deployment {
  const deployment = newDeployment(random);
  const { spec } = deployment;
  if (spec === undefined) return deployment;
  const { metadata } = spec.template;
  const annotations = {
    ...metadata?.annotations,
    [STOPS_AFTER_ANNOTATION]: String(5 + randomBelow(random, 25)),
  };
  return {
    ...deployment,
    spec: { ...spec, template: { ...spec.template, metadata: { ...metadata, annotations } } },
  };
}

export function newReplicaSet(random: Random): ReplicaSet {
  const name = `set-${randomBelow(random, 2)}`;
  return {
    metadata: { name },
    spec: {
      replicas: randomBelow(random, 9),
      selector: { matchLabels: { app: name } },
      template: podTemplate(random, name),
      ...minReady(random),
    },
  };
}

export function newController(random: Random): ReplicationController {
  const name = `rc-${randomBelow(random, 2)}`;
  return {
    metadata: { name },
    spec: {
      replicas: randomBelow(random, 9),
      selector: { app: name },
      template: podTemplate(random, name),
      ...minReady(random),
    },
  };
}
