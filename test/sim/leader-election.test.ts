import { expect, test } from "vitest";
import type { Clock } from "../../pkg/clock/clock.ts";
import { jitter, randomBelow, seededRandom, type Random } from "../../pkg/clock/random.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { LeaderElector } from "../../pkg/leader/elector.ts";
import { LeaseLock } from "../../pkg/leader/lease-lock.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { LeaseServer, statusError, type Carrier } from "../harness/lease-server.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";

const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const seeds = Number(process.env["SIM_SEEDS"] ?? 300);
const runMs = 300_000;

/**
 * A program on a machine of its own: a clock that is off and runs at its own rate, and that can be stopped (everything
 * that becomes due meanwhile happens at once, in any order, when it goes on) or killed.
 */
class Machine implements Clock {
  readonly #world: VirtualClock;
  readonly #random: Random;
  readonly #rate: number;
  #wallOffsetMs: number;
  #waiting: (() => void)[] | undefined;
  isDead = false;

  constructor(world: VirtualClock, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#rate = 0.98 + random.next() * 0.04;
    this.#wallOffsetMs = (random.next() - 0.5) * 7_200_000;
  }

  nowMs(): number {
    return this.#world.nowMs() + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#world.monotonicMs() * this.#rate;
  }

  setTimer(delayMs: number, callback: () => void): { cancel(): void } {
    let isCancelled = false;
    const timer = this.#world.setTimer(delayMs / this.#rate, () =>
      this.deliver(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  async turn(): Promise<void> {
    return new Promise((resolve) => this.setTimer(0, resolve));
  }

  /** Something reaches this machine: a timer, an answer. */
  deliver(callback: () => void): void {
    if (this.isDead) return;
    if (this.#waiting === undefined) callback();
    else this.#waiting.push(callback);
  }

  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  pause(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    while (waiting.length > 0) waiting.splice(randomBelow(this.#random, waiting.length), 1)[0]?.();
  }

  jumpWallClock(): void {
    this.#wallOffsetMs += (this.#random.next() - 0.5) * 100_000;
  }
}

interface Write {
  readonly atMs: number;
  readonly by: number;
}

/** Everything that several candidates did in one run, and what went wrong. */
class Simulation {
  readonly world = new VirtualClock();
  readonly server = new LeaseServer();
  readonly random: Random;
  readonly programs: { machine: Machine; elector: LeaderElector; stop: AbortController; id: number }[] = [];
  /** As they took effect on the server. */
  readonly writes: Write[] = [];
  readonly overlaps: string[] = [];
  #nextId = 0;
  #faultiness = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  get living(): Simulation["programs"] {
    return this.programs.filter(({ machine }) => !machine.isDead);
  }

  writer(): Simulation["programs"][number] | undefined {
    return this.living.find(({ elector }) => elector.fence.canWrite());
  }

  setFaultiness(share: number): void {
    this.#faultiness = share;
  }

  start(): void {
    const id = this.#nextId++;
    const machine = new Machine(this.world, this.random);
    const lock = new LeaseLock({
      client: this.server.client(this.#network(machine), this.random.next() < 0.5),
      namespace: "kube-system",
      name: "kcm",
      identity: `candidate-${id}`,
    });
    const options = { name: "kcm", lock, timing, releaseOnStop: true, random: this.random };
    const elector = new LeaderElector({ ...options, clock: machine, log: silentLogger, metrics: noMetrics });
    const stop = new AbortController();
    const program = { machine, elector, stop, id };
    this.programs.push(program);
    const lead = async (signal: AbortSignal): Promise<void> => this.#work(program, signal);
    void elector.run(lead, stop.signal).then(() => (machine.isDead = true));
  }

  /** Requests take a while both ways; some fail before they have an effect, some after, some are answered never. */
  #network(machine: Machine): Carrier {
    return async <T>(_verb: string, effect: () => T, signal: AbortSignal | undefined): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        const answer = (settle: () => void): void => {
          this.world.setTimer(this.#latencyMs(), () => machine.deliver(settle));
        };
        const fate = this.random.next() < this.#faultiness ? randomBelow(this.random, 3) : 3;
        this.world.setTimer(this.#latencyMs(), () => {
          if (fate === 0) {
            answer(() => reject(statusError(500, "InternalError", "PUT")));
            return;
          }
          try {
            const result = effect();
            if (fate === 1) answer(() => reject(statusError(504, "Timeout", "PUT")));
            else if (fate === 3) answer(() => resolve(result));
          } catch (error) {
            answer(() => reject(error));
          }
        });
      });
  }

  #latencyMs(): number {
    return this.random.next() < 0.02 ? this.random.next() * 8_000 : 1 + this.random.next() * 40;
  }

  /** Writes as long as it is let, even after it was told to stop: the fence alone must be enough. */
  async #work(program: Simulation["programs"][number], signal: AbortSignal): Promise<void> {
    const { machine, elector, id } = program;
    const windDownMs = this.random.next() * 3_000;
    let endMs = Infinity;
    signal.addEventListener("abort", () => (endMs = machine.monotonicMs() + windDownMs), { once: true });
    const underWay: Promise<void>[] = [];
    while (machine.monotonicMs() < endMs) {
      if (elector.fence.canWrite()) {
        this.checkWriters();
        underWay.push(this.#write(machine, id));
      }
      await sleep(machine, jitter(this.random, 300, 1));
    }
    await Promise.all(underWay);
  }

  /** Takes less to reach the server than the fence's margin, which is lease duration less renew deadline: 5 s. */
  async #write(machine: Machine, by: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.world.setTimer(this.random.next() * 4_000, () => {
        this.writes.push({ atMs: this.world.monotonicMs(), by });
        this.world.setTimer(10, () => machine.deliver(resolve));
      });
    });
  }

  /** Those that are paused count as well: what they check the moment they go on is their clock, which went on. */
  checkWriters(): void {
    const writers = this.living.filter(({ elector }) => elector.fence.canWrite());
    if (writers.length > 1) {
      this.overlaps.push(`${writers.map(({ id }) => id).join(" and ")} at ${this.world.monotonicMs()} ms`);
    }
  }

  /** Writers whose writes took effect after those of a successor. */
  lateWriters(): string[] {
    const late: string[] = [];
    const gone = new Set<number>();
    let current = -1;
    for (const { by, atMs } of this.writes) {
      if (by === current) continue;
      if (gone.has(by)) late.push(`${by} at ${atMs} ms`);
      gone.add(current);
      current = by;
    }
    return late;
  }
}

type Blow = "kill" | "stop" | "pause" | "outage" | "jump";
const blows: readonly Blow[] = ["kill", "stop", "pause", "outage", "jump"];

function strike(simulation: Simulation, blow: Blow): void {
  const { random, world } = simulation;
  const victim = simulation.writer();
  if (victim === undefined) return;
  if (blow === "kill") victim.machine.isDead = true;
  else if (blow === "stop") victim.stop.abort();
  else if (blow === "jump") victim.machine.jumpWallClock();
  else if (blow === "pause") {
    victim.machine.pause();
    world.setTimer(random.next() * 40_000, () => victim.machine.resume());
  } else {
    simulation.setFaultiness(0.5 + random.next() * 0.5);
    world.setTimer(random.next() * 20_000, () => simulation.setFaultiness(0.05));
  }
}

/** Runs one seed; reports how long it took after each kill or stop until somebody could write again. */
async function run(
  seed: number,
  candidates: number,
  gaps: Record<"kill" | "stop", number[]>,
): Promise<Simulation> {
  const simulation = new Simulation(seed);
  const { world, random } = simulation;
  simulation.setFaultiness(0.05);
  for (let index = 0; index < candidates; index++) simulation.start();
  let struck: { blow: "kill" | "stop"; atMs: number } | undefined;
  let nextBlowMs = 10_000 + random.next() * 20_000;
  while (world.monotonicMs() < runMs) {
    await world.advanceBy(250);
    simulation.checkWriters();
    while (simulation.living.length < candidates) simulation.start();
    const nowMs = world.monotonicMs();
    const writer = simulation.writer();
    if (struck !== undefined && writer !== undefined && !writer.stop.signal.aborted) {
      gaps[struck.blow].push(nowMs - struck.atMs);
      struck = undefined;
    }
    if (nowMs < nextBlowMs) continue;
    const blow = blows[randomBelow(random, blows.length)] ?? "kill";
    if (writer !== undefined && (blow === "kill" || blow === "stop")) struck = { blow, atMs: nowMs };
    strike(simulation, blow);
    nextBlowMs = nowMs + 15_000 + random.next() * 30_000;
  }
  return simulation;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

test.each([2, 3])(
  "%i candidates: never two that can write at once, never a write after a successor's",
  async (count) => {
    const gaps = { kill: [] as number[], stop: [] as number[] };
    let leaders = 0;
    for (let seed = 1; seed <= seeds / 2; seed++) {
      const simulation = await run(seed * 1_000 + count, count, gaps);
      expect(simulation.overlaps, `two writers with seed ${seed}`).toEqual([]);
      expect(simulation.lateWriters(), `late writes with seed ${seed}`).toEqual([]);
      expect(simulation.writes.length, `nobody wrote with seed ${seed}`).toBeGreaterThan(100);
      leaders += new Set(simulation.writes.map(({ by }) => by)).size;
    }
    // Nearly every seed sees several changes of leader; a simulation without them would prove nothing.
    expect(leaders).toBeGreaterThan(seeds);
    // A kill costs the lease and a try; a stop costs the winding down (up to 3 s here) and a try.
    expect(median(gaps.kill)).toBeLessThan(timing.leaseDurationMs + 2.2 * timing.retryPeriodMs + 1_000);
    expect(median(gaps.stop)).toBeLessThan(3_000 + 2.2 * timing.retryPeriodMs + 1_000);
    console.log(
      `${count} candidates, ${Math.floor(seeds / 2)} seeds of ${runMs / 1_000} s: ${leaders} leaders; until the next can write:`,
      `after a kill median ${median(gaps.kill)} ms, max ${Math.max(...gaps.kill)} ms (${gaps.kill.length});`,
      `after a stop median ${median(gaps.stop)} ms, max ${Math.max(...gaps.stop)} ms (${gaps.stop.length})`,
    );
  },
);
