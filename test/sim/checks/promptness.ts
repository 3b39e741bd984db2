import { resources } from "../../../pkg/api/resources.ts";
import { objectsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import {
  idleJobs,
  type Lack,
  lackingDaemonSets,
  lackingStatefulSets,
  lackingWorkloads,
  refusedStatefulSets,
  runningJobs,
} from "./lacks.ts";
import { lackingAttachments } from "./lacking-attachments.ts";
import { lackingNamespaces, lackingQuotas } from "./lacking-namespaces.ts";
import { lackingServices } from "./lacking-services.ts";
import { failingDaemonSets } from "./daemon-facts.ts";
import { NodeStates } from "./node-states.ts";
import { overduePods } from "./overdue-pods.ts";

const PERIOD_MS = 10_000;
/** Longer than the back-off that a minute of failing requests leads to, and far shorter than any time-out. */
const PROMPT_MS = 150_000;
/** Where nothing goes wrong at all. */
const CALM_MS = 20_000;

/**
 * Where watches are never late, nothing but failing requests can keep anybody from having what it should, and no longer
 * than they fail: what lacks the same for long was forgotten, even if some time-out helps it later.
 */
export function checkPromptness(world: World, { isCalm }: { readonly isCalm: boolean }): void {
  const { store } = world.server.parts;
  const failing = failingDaemonSets(store);
  const nodes = world.nodeSettings && new NodeStates(world);
  const limited = new Set<string>();
  const refused = new Set<string>();
  let since = new Map<string, number>();
  const look = (): void => {
    const nowMs = world.clock.monotonicMs();
    // Also later: whoever was refused pods for long tries again seldom.
    for (const name of limitedNamespaces(world)) limited.add(name);
    for (const uid of refusedStatefulSets(store)) refused.add(uid);
    const isTroubled = world.leader === undefined || world.weather.errorShare > 0;
    const lacking: readonly Lack[] = isTroubled
      ? []
      : [
          ...lackingWorkloads(store, limited),
          ...lackingStatefulSets(store, limited, refused),
          ...lackingDaemonSets(store, failing),
          ...runningJobs(store),
          ...idleJobs(store, limited),
          ...lackingServices(store, refused),
          ...lackingNamespaces(store),
          ...lackingAttachments(store),
          ...lackingQuotas(store),
          ...(nodes === undefined ? [] : overduePods(world, nodes)),
        ];
    since = new Map(lacking.map(({ key }) => [key, since.get(key) ?? nowMs]));
    for (const { key, text, patienceMs = 0 } of lacking) {
      const promptMs = Math.max(patienceMs, isCalm ? CALM_MS : PROMPT_MS);
      if (nowMs - (since.get(key) ?? nowMs) === promptMs) world.violate(`${text}, for ${promptMs} ms`);
    }
    world.clock.setTimer(PERIOD_MS, look);
  };
  world.clock.setTimer(PERIOD_MS, look);
}

/** Where pods cannot be created: namespaces that are being deleted, and those with a quota. */
function limitedNamespaces({ server }: World): readonly string[] {
  const { store } = server.parts;
  const leaving = objectsIn(store, resources.namespaces).filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  const quotas = objectsIn(store, resources.resourceQuotas);
  return [
    ...leaving.map(({ metadata }) => metadata.name ?? ""),
    ...quotas.map(({ metadata }) => metadata.namespace ?? ""),
  ];
}
