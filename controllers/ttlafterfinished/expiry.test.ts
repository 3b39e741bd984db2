import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { decideExpiry, type Expiry } from "./expiry.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const unwanted: Expiry = { kind: "never", reason: "not to be cleaned up" };

describe("how long a Job is kept", () => {
  // upstream: pkg/controller/ttlafterfinished/ttlafterfinished_controller_test.go#TestTimeLeft
  test.each<[string, Job, Expiry]>([
    ["unfinished", job({ ttl: 100 }), unwanted],
    ["completed now, no time to live", job({ completedS: 0 }), unwanted],
    ["completed now, 0 s to live", job({ completedS: 0, ttl: 0 }), { kind: "expired", sinceMs: NOW_MS }],
    ["completed now, 10 s to live", job({ completedS: 0, ttl: 10 }), later(10)],
    ["completed 10 s ago, 15 s to live", job({ completedS: -10, ttl: 15 }), later(5)],
    ["failed now, no time to live", job({ failedS: 0 }), unwanted],
    ["failed now, 0 s to live", job({ failedS: 0, ttl: 0 }), { kind: "expired", sinceMs: NOW_MS }],
    ["failed now, 10 s to live", job({ failedS: 0, ttl: 10 }), later(10)],
    ["failed 10 s ago, 15 s to live", job({ failedS: -10, ttl: 15 }), later(5)],
  ])("%s", (_, subject, expected) => {
    expect(decideExpiry(subject, NOW_MS)).toEqual(expected);
  });

  test("longer when it says that it finishes in the future", () => {
    const ahead = job({ completedS: 30, ttl: 10 });
    expect(decideExpiry(ahead, NOW_MS)).toEqual({ kind: "later", afterMs: 40_000, finishesInFuture: true });
  });

  test("for others to see to when it is being deleted", () => {
    const base = job({ completedS: -10, ttl: 0 });
    const leaving = { ...base, metadata: { ...base.metadata, deletionTimestamp: formatTime(NOW_MS) } };
    expect(decideExpiry(leaving, NOW_MS)).toEqual({ kind: "never", reason: "being deleted" });
  });

  test("when it does not say since when it has finished", () => {
    const silent: Job = { ...job({ ttl: 0 }), status: { conditions: [{ type: "Failed", status: "True" }] } };
    expect(decideExpiry(silent, NOW_MS)).toEqual({ kind: "never", reason: "no finish time" });
  });
});

function later(seconds: number): Expiry {
  return { kind: "later", afterMs: seconds * 1_000, finishesInFuture: false };
}

interface Sketch {
  readonly completedS?: number;
  readonly failedS?: number;
  readonly ttl?: number;
}

function job({ completedS, failedS, ttl }: Sketch): Job {
  const condition = (type: string, seconds: number | undefined) =>
    seconds === undefined
      ? []
      : [{ type, status: "True", lastTransitionTime: formatTime(NOW_MS + seconds * 1_000) }];
  return {
    metadata: { name: "foobar", namespace: "default" },
    spec: { template: {}, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) },
    status: { conditions: [...condition("Complete", completedS), ...condition("Failed", failedS)] },
  };
}
