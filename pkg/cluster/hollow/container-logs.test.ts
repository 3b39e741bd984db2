import { afterEach, beforeEach, expect, test } from "vitest";
import type { ContainerState, Pod } from "../../api/types/core-v1.gen.ts";
import { formatTime } from "../../api/time.ts";
import type { LogRequest } from "../../apiserver/server/pod-processes.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { containerLogs } from "./container-logs.ts";

const SCRIPT = "while true; do echo x; sleep 1; done";

let clock: VirtualClock;
let startMs: number;
let ended: AbortController;
beforeEach(() => {
  clock = new VirtualClock();
  startMs = clock.nowMs();
  ended = new AbortController();
});
afterEach(() => ended.abort());

const at = (seconds: number): string => formatTime(startMs + 1_000 * seconds);
const running = (seconds = 0): ContainerState => ({ running: { startedAt: at(seconds) } });
const terminated = (from: number, to: number): ContainerState => ({
  terminated: { exitCode: 0, startedAt: at(from), finishedAt: at(to) },
});

function podIn(state: ContainerState | undefined, lastState?: ContainerState): Pod {
  const status = state && {
    name: "c",
    image: "i",
    imageID: "",
    ready: true,
    restartCount: 0,
    state,
    ...(lastState && { lastState }),
  };
  return {
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i", command: ["sh", "-c", SCRIPT] }] },
    ...(status && { status: { containerStatuses: [status] } }),
  };
}

function requestOf(pod: Pod, more: Partial<LogRequest> = {}): LogRequest {
  return {
    pod,
    podNow: () => pod,
    container: "c",
    follow: false,
    previous: false,
    timestamps: false,
    sinceMs: undefined,
    tailLines: undefined,
    limitBytes: undefined,
    ...more,
  };
}

/** What a reader who follows has heard by now, and whether it was all. */
function following(request: LogRequest): { heard: string; isOver: boolean } {
  const told = { heard: "", isOver: false };
  const listen = async (): Promise<void> => {
    for await (const text of containerLogs(request, clock, ended.signal)) told.heard += text;
    told.isOver = true;
  };
  void listen();
  return told;
}

/** A log that is not followed, or has ended. */
async function read(request: LogRequest): Promise<string> {
  const told = following(request);
  await clock.advanceBy(1_000);
  expect(told.isOver).toBe(true);
  return told.heard;
}

test.each<[string, Partial<LogRequest>, string]>([
  ["is what it has written by now", {}, "x\nx\nx\n"],
  ["ends with its last lines", { tailLines: 1 }, "x\n"],
  ["may have none of its lines", { tailLines: 0 }, ""],
  ["may have no more bytes than are wanted", { limitBytes: 3 }, "x\nx"],
])("a log %s", async (_, more, expected) => {
  await clock.advanceBy(2_500);
  expect(await read(requestOf(podIn(running()), more))).toBe(expected);
});

test("a log begins where it is wanted to, with times where these are wanted", async () => {
  await clock.advanceBy(2_500);
  const more = { sinceMs: startMs + 1_000, timestamps: true };
  const stamped = (seconds: number): string => `${at(seconds).replace("Z", ".000000000Z")} x\n`;
  expect(await read(requestOf(podIn(running()), more))).toBe(stamped(1) + stamped(2));
});

test("a container that has ended has written no more", async () => {
  await clock.advanceBy(60_000);
  expect(await read(requestOf(podIn(terminated(0, 1))))).toBe("x\nx\n");
  expect(await read(requestOf(podIn(terminated(0, 1)), { follow: true }))).toBe("x\nx\n");
  expect(await read(requestOf(podIn(running(50), terminated(0, 1)), { previous: true }))).toBe("x\nx\n");
});

test.each<[string, () => Pod | undefined]>([
  ["ends", () => podIn(terminated(0, 3))],
  ["starts again", () => podIn(running(9), terminated(0, 3))],
  ["is gone", () => undefined],
])("a log is followed until its container %s, and to the last line", async (_, after) => {
  let now: Pod | undefined = podIn(running());
  const told = following(requestOf(podIn(running()), { follow: true, podNow: () => now }));
  await clock.advanceBy(2_900);
  expect(told).toEqual({ heard: "x\nx\nx\n", isOver: false });
  now = after();
  await clock.advanceBy(60_000);
  expect(told).toEqual({ heard: "x\nx\nx\nx\n", isOver: true });
});

test("nobody is told more who has gone away", async () => {
  const told = following(requestOf(podIn(running()), { follow: true }));
  await clock.advanceBy(1_500);
  ended.abort();
  await clock.advanceBy(10_000);
  expect(told).toEqual({ heard: "x\nx\n", isOver: true });
});

test.each<[string, Pod, Partial<LogRequest>, string]>([
  ["has no status", podIn(undefined), {}, 'container "c" in pod "p" is waiting to start: ContainerCreating'],
  ["waits", podIn({ waiting: {} }), {}, 'container "c" in pod "p" is waiting to start: ContainerCreating'],
  [
    "waits for its image",
    podIn({ waiting: { reason: "ErrImagePull" } }),
    {},
    `container "c" in pod "p" is waiting to start: image can't be pulled`,
  ],
  [
    "waits longer for its image",
    podIn({ waiting: { reason: "ImagePullBackOff" } }),
    {},
    'container "c" in pod "p" is waiting to start: trying and failing to pull image',
  ],
  ["never ended", podIn({}), { previous: true }, 'previous terminated container "c" in pod "p" not found'],
])("there is no log of a container that %s", (_, pod, more, message) => {
  expect(() => containerLogs(requestOf(pod, more), clock, ended.signal)).toThrow(message);
});
