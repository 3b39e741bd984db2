import { describe, expect, test } from "vitest";
import { formatTime } from "../../api/time.ts";
import type { Pod, PodSpec } from "../../api/types/core-v1.gen.ts";
import { pullProblem } from "./image-pull.ts";
import { eventsBetween, killEvents } from "./pod-events.ts";
import { decidePodLife } from "./pod-life.ts";

const START_MS = Date.UTC(2026, 0, 1);
const PLACE = { hostIP: "172.16.0.1", podIP: "10.0.0.1", retriesPulls: true };

function pod(spec: Partial<PodSpec>, script?: string): Pod {
  const annotations = script === undefined ? {} : { "kcm.dev/script": script };
  return {
    metadata: { name: "p", namespace: "default", uid: "u", annotations },
    spec: { containers: [{ name: "c", image: "nginx" }], ...spec },
  };
}

/** All that is told while a pod lives for so long: when, of what, and what. */
function told(start: Pod, forMs: number, images = new Set<string>()): readonly string[] {
  const lines: string[] = [];
  const hasImage = (image: string): boolean => images.has(image) || !images.add(image);
  let current = start;
  let nowMs = START_MS;
  while (nowMs <= START_MS + forMs) {
    const { status, recheckAtMs } = decidePodLife(current, PLACE, nowMs);
    if (status !== undefined) {
      for (const { type, reason, message, fieldPath } of eventsBetween(current, status, hasImage)) {
        const about = fieldPath === "spec.containers{c}" ? "" : ` ${fieldPath}`;
        lines.push(`${(nowMs - START_MS) / 1_000}s ${type} ${reason}${about}: ${message}`);
      }
      current = { ...current, status };
    } else if (recheckAtMs === undefined) break;
    nowMs = recheckAtMs ?? nowMs;
  }
  return lines;
}

describe("what is told of a pod", () => {
  test("the start of a server whose image is new to the node", () => {
    expect(told(pod({}), 60_000)).toEqual([
      '0s Normal Pulling: Pulling image "nginx"',
      '0s Normal Pulled: Successfully pulled image "nginx" in 0s (0s including waiting). Image size: 0 bytes.',
      "0s Normal Created: Container created",
      "0s Normal Started: Container started",
    ]);
  });

  test("one whose image is there, and one that is pulled in any case", () => {
    const images = new Set(["nginx"]);
    const there = 'Container image "nginx" already present on machine and can be accessed by the pod';
    expect(told(pod({}), 60_000, images)[0]).toBe(`0s Normal Pulled: ${there}`);
    const containers = [{ name: "c", image: "nginx", imagePullPolicy: "Always" }];
    expect(told(pod({ containers }), 60_000, images)[0]).toBe('0s Normal Pulling: Pulling image "nginx"');
  });

  test("a container after an init container, with what it is about", () => {
    const initContainers = [{ name: "i", image: "nginx", command: ["true"] }];
    const lines = told(pod({ initContainers }), 60_000, new Set(["nginx"]));
    expect(lines.map((line) => line.replace(/:.*/, ""))).toEqual([
      "0s Normal Pulled spec.initContainers{i}",
      "0s Normal Created spec.initContainers{i}",
      "0s Normal Started spec.initContainers{i}",
      "0s Normal Pulled",
      "0s Normal Created",
      "0s Normal Started",
    ]);
  });

  test("restarts and their back-off", () => {
    const lines = told(pod({}, "sleep 1; exit 1"), 14_000, new Set(["nginx"]));
    expect(lines.filter((line) => /Started|BackOff/.test(line))).toEqual([
      "0s Normal Started: Container started",
      "1s Normal Started: Container started",
      "2s Warning BackOff: Back-off restarting failed container c in pod p_default(u)",
      "12s Normal Started: Container started",
      "13s Warning BackOff: Back-off restarting failed container c in pod p_default(u)",
    ]);
  });

  test("an image that cannot be pulled, again and again", () => {
    const containers = [{ name: "c", image: "example.com/does-not-exist:1" }];
    const lines = told(pod({ containers }), 35_000);
    const failure: readonly unknown[] = [
      'Normal Pulling: Pulling image "example.com/does-not-exist:1"',
      `Warning Failed: Failed to pull image "example.com/does-not-exist:1": ${pullProblem("example.com/does-not-exist:1")}`,
      "Warning Failed: Error: ErrImagePull",
      'Normal BackOff: Back-off pulling image "example.com/does-not-exist:1"',
      "Warning Failed: Error: ImagePullBackOff",
    ];
    expect(lines.map((line) => line.replace(/^\d+s /, ""))).toEqual([...failure, ...failure, ...failure]);
    expect(lines.filter((line) => line.includes("Pulling")).map((line) => line.split(" ")[0])).toEqual([
      "0s",
      "10s",
      "30s",
    ]);
  });

  test("that what runs is told to end", () => {
    const running = { state: { running: { startedAt: formatTime(START_MS) } } };
    const base = { image: "", imageID: "", ready: true, restartCount: 0 };
    const two = pod({ containers: [{ name: "a" }, { name: "b" }] });
    const containerStatuses = [
      { ...base, name: "a", ...running },
      { ...base, name: "b", state: { terminated: { exitCode: 0 } } },
    ];
    expect(killEvents({ ...two, status: { containerStatuses } })).toEqual([
      {
        type: "Normal",
        reason: "Killing",
        message: "Stopping container a",
        fieldPath: "spec.containers{a}",
      },
    ]);
  });
});
