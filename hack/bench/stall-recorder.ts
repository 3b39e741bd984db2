// For `node --import`: records how long the turns of a program's event loop are, and a CPU profile of them. When the
// program exits, stalls.ts can read both in the file that STALLS names.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import type { Profile, Recording, Turn } from "./stalls.ts";

const SAMPLE_EVERY_US = 500;
/** Shorter ones are not worth a line. */
const LEAST_TURN_US = 10_000;

const file = process.env["STALLS"];
if (file === undefined) throw new Error("STALLS must name the file to write");

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_US });
session.post("Profiler.start");

const turns: Turn[] = [];
let startUs = monotonicUs();
let startCpuUs = cpuUs();
// A timer that is always due is called once in each turn.
setInterval(() => {
  const endUs = monotonicUs();
  const endCpuUs = cpuUs();
  if (endUs - startUs >= LEAST_TURN_US) turns.push({ startUs, endUs, cpuUs: endCpuUs - startCpuUs });
  startUs = endUs;
  startCpuUs = endCpuUs;
}, 1).unref();

process.once("exit", () => {
  session.post("Profiler.stop", (error, stopped) => {
    if (error !== null) throw error;
    const recording: Recording = { turns, profile: stopped.profile as Profile };
    writeFileSync(file, JSON.stringify(recording));
  });
});

/** On the clock of the profile's samples. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Of this thread alone: what the collector does beside it, and the time for which others have the core, is left out. */
function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
