import { Session } from "node:inspector/promises";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { sleep } from "../../../pkg/clock/wait.ts";

export class ProfilerBusyError extends Error {
  readonly code = "ProfilerBusy";
  constructor() {
    super("a profile is being taken already");
    this.name = "ProfilerBusyError";
  }
}

/** Profiles of this process in the forms that Chrome's tools open. One at a time: they would distort each other. */
export class Profiler {
  readonly #clock: Clock;
  #busy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where time goes (.cpuprofile). */
  async cpu(durationMs: number, signal: AbortSignal): Promise<unknown> {
    return this.#withSession(async (session) => {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await sleep(this.#clock, durationMs, signal);
      return (await session.post("Profiler.stop")).profile;
    });
  }

  /** Who allocates memory that is still in use (.heapprofile), sampled: unlike a snapshot it stops nothing. */
  async allocations(durationMs: number, signal: AbortSignal): Promise<unknown> {
    return this.#withSession(async (session) => {
      await session.post("HeapProfiler.startSampling");
      await sleep(this.#clock, durationMs, signal);
      return (await session.post("HeapProfiler.stopSampling")).profile;
    });
  }

  async #withSession<T>(take: (session: Session) => Promise<T>): Promise<T> {
    if (this.#busy) throw new ProfilerBusyError();
    this.#busy = true;
    const session = new Session();
    try {
      session.connect();
      return await take(session);
    } finally {
      session.disconnect();
      this.#busy = false;
    }
  }
}
