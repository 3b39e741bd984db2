import { expect, test } from "vitest";
import { formatTime } from "../../../pkg/api/time.ts";
import { stored } from "../../../test/harness/stored.ts";
import { staleReason } from "./stale-requests.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 0, 1);
const ago = (ms: number): string => formatTime(NOW_MS - ms);

interface Case {
  readonly createdMs?: number;
  /** When the certificate expires; "garbage" for one that cannot be read. */
  readonly certificate?: "valid" | "expired" | "garbage";
  readonly conditions?: readonly (readonly [type: string, updatedMs?: number])[];
}

const expiries = { valid: NOW_MS + HOUR_MS, expired: NOW_MS - 1, garbage: undefined };

// upstream: pkg/controller/certificates/cleaner/cleaner_test.go#TestCleanerWithApprovedExpiredCSR
test.each<[string, Case, boolean]>([
  [
    "approved not passed deadline",
    { certificate: "valid", conditions: [["Approved", 50 * MINUTE_MS]] },
    false,
  ],
  ["approved passed deadline not issued", { conditions: [["Approved", 50 * MINUTE_MS]] }, false],
  ["approved passed deadline", { certificate: "valid", conditions: [["Approved", 2 * HOUR_MS]] }, true],
  ["denied not passed deadline", { conditions: [["Denied", 50 * MINUTE_MS]] }, false],
  ["denied passed deadline", { conditions: [["Denied", 2 * HOUR_MS]] }, true],
  [
    "failed not passed deadline",
    {
      conditions: [
        ["Approved", 2 * HOUR_MS],
        ["Failed", 50 * MINUTE_MS],
      ],
    },
    false,
  ],
  [
    "failed passed deadline",
    {
      conditions: [
        ["Approved", 2 * HOUR_MS],
        ["Failed", 2 * HOUR_MS],
      ],
    },
    true,
  ],
  ["pending not passed deadline", { createdMs: 5 * HOUR_MS }, false],
  ["pending passed deadline", { createdMs: 25 * HOUR_MS }, true],
  ["approved unissued past deadline", { conditions: [["Approved", 25 * HOUR_MS]] }, true],
  ["approved unissued not past deadline", { conditions: [["Approved", 5 * HOUR_MS]] }, false],
  ["approved unexpired", { certificate: "valid", conditions: [["Approved", 50 * MINUTE_MS]] }, false],
  ["approved expired", { certificate: "expired", conditions: [["Approved", 50 * MINUTE_MS]] }, true],
  [
    "approved passed deadline unparseable",
    { certificate: "garbage", conditions: [["Approved", 2 * HOUR_MS]] },
    true,
  ],
  // And beyond upstream's.
  ["unparseable", { certificate: "garbage", conditions: [["Approved", 50 * MINUTE_MS]] }, false],
  [
    "expired, which nobody has approved",
    { certificate: "expired", conditions: [["Remarked", 50 * MINUTE_MS]] },
    false,
  ],
  ["exactly an hour old", { certificate: "valid", conditions: [["Approved", HOUR_MS]] }, false],
  ["exactly a day old", { createdMs: 24 * HOUR_MS }, false],
  ["old, with a remark only", { createdMs: 48 * HOUR_MS, conditions: [["Remarked", 48 * HOUR_MS]] }, false],
  ["denied at no known time", { conditions: [["Denied"]] }, false],
])("%s: %j goes: %s", (_, { createdMs = MINUTE_MS, certificate, conditions = [] }, goes) => {
  const request = stored({
    metadata: { name: "a", creationTimestamp: ago(createdMs) },
    spec: { request: "", signerName: "" },
    status: {
      ...(certificate !== undefined && { certificate }),
      conditions: conditions.map(([type, updatedMs]) => ({
        type,
        status: "True",
        ...(updatedMs !== undefined && { lastUpdateTime: ago(updatedMs) }),
      })),
    },
  });
  const reason = staleReason(request, NOW_MS, (text) => expiries[text as keyof typeof expiries]);
  expect(reason !== undefined).toBe(goes);
});
