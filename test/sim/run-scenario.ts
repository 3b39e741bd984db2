import { seededRandom } from "../../pkg/clock/random.ts";
import { controllers } from "./world/controllers.ts";
import { checkFailingNodes } from "./checks/failing-nodes.ts";
import { checkPromptness } from "./checks/promptness.ts";
import { checkRest } from "./checks/rest.ts";
import { checkSafety } from "./checks/safety.ts";
import type { Scenario } from "./scenario.ts";
import { Disks } from "./world/disks.ts";
import { strike } from "./world/faults.ts";
import { operate, repair } from "./world/operations.ts";
import { World } from "./world/world.ts";

export interface Outcome {
  readonly seed: number;
  /** Empty: all went well. */
  readonly violations: readonly string[];
  readonly virtualMs: number;
  readonly trace: readonly string[];
}

export interface RunOptions {
  readonly traced?: boolean;
  readonly untilViolation?: boolean;
}

export async function runScenario(scenario: Scenario, options: RunOptions = {}): Promise<Outcome> {
  const { seed, managers, nodes, timing } = scenario;
  const disks = scenario.hasDriver === true ? new Disks() : undefined;
  const world = new World({
    seed,
    managers,
    nodes,
    timing,
    descriptors: () => controllers(scenario.nodeSettings, scenario.autoscales, disks),
    nodeSettings: scenario.nodeSettings,
    autoscales: scenario.autoscales,
    disks,
    traced: options.traced ?? false,
    untilViolation: options.untilViolation ?? false,
  });
  checkSafety(world);
  const checkFailing = checkFailingNodes(world);
  if (scenario.watchesHold) checkPromptness(world, { isCalm: scenario.isCalm ?? false });
  await world.start();
  for (const { atMs, kind, what, seed } of scenario.actions) {
    await world.pass(Math.max(0, atMs - world.clock.monotonicMs()));
    if (world.isEnough) break;
    const random = seededRandom(seed);
    if (kind === "fault") strike(world, what, random);
    else void operate(world, what, random);
  }
  await world.pass(Math.max(0, scenario.endMs - world.clock.monotonicMs()));
  world.clearUp();
  await checkFailing();
  void repair(world);
  await checkRest(world);
  const virtualMs = world.clock.monotonicMs();
  const outcome = {
    seed,
    violations: [...world.violations],
    virtualMs,
    trace: [...(world.trace?.lines ?? [])],
  };
  await world.end();
  return outcome;
}
