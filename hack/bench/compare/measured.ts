import { realClock } from "../../../pkg/clock/real.ts";
import type { ManagerProcess } from "./manager-process.ts";
import { writesOf } from "./scraped-metrics.ts";

export interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly writes: number;
}

/** CPU and writes include what is left to do after `work`, until the manager is quiet. */
export async function measured(manager: ManagerProcess, work: () => Promise<void>): Promise<Measured> {
  const writesBefore = writesOf(await manager.metrics());
  const { cpuSeconds } = manager.usage();
  const startMs = realClock.monotonicMs();
  await work();
  const seconds = (realClock.monotonicMs() - startMs) / 1_000;
  await manager.settle(60_000);
  return {
    seconds,
    cpuSeconds: manager.usage().cpuSeconds - cpuSeconds,
    writes: writesOf(await manager.metrics()) - writesBefore,
  };
}
