import type { HeapProfiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { heapProfile } from "./pprof.ts";

/** Finer than Go's 512 KiB, as samples are of the given seconds only. */
const HEAP_PERIOD_BYTES = 32 * 1024;

export class ProfilerBusyError extends Error {
  readonly code = "ProfilerBusy";
  constructor() {
    super("a profile is being taken already");
    this.name = "ProfilerBusyError";
  }
}

/** Profiles of this process, in the forms that Chrome's tools open unless it says otherwise. One at a time: they would distort each other. */
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
    return this.#sample(durationMs, signal);
  }

  /** The same as Go's tools read it, compressed. */
  async heap(durationMs: number, signal: AbortSignal): Promise<Buffer> {
    const startMs = this.#clock.nowMs();
    const { head } = await this.#sample(durationMs, signal, HEAP_PERIOD_BYTES);
    return gzipSync(heapProfile(head, { startMs, durationMs, periodBytes: HEAP_PERIOD_BYTES }));
  }

  async #sample(
    durationMs: number,
    signal: AbortSignal,
    samplingInterval?: number,
  ): Promise<HeapProfiler.SamplingHeapProfile> {
    return this.#withSession(async (session) => {
      const interval = samplingInterval === undefined ? {} : { samplingInterval };
      await session.post("HeapProfiler.startSampling", interval);
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
