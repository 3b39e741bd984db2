import { describe, expect, test } from "vitest";
import { lifetimeMs, validityOf } from "./validity.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 0, 1);

// upstream: pkg/controller/certificates/signer/signer_test.go#Test_signer_duration
test.each<[string, number | undefined, number]>([
  ["a shorter time can be asked for", 30 * 60, 30 * MINUTE_MS],
  ["a longer one cannot", 3 * 3_600, HOUR_MS],
  ["nor less than nothing", -60, 10 * MINUTE_MS],
  ["nor less than ten minutes", 599, 10 * MINUTE_MS],
  ["ten minutes can", 600, 10 * MINUTE_MS],
  ["and all there is", 3_600, HOUR_MS],
  ["which is given to those who do not ask", undefined, HOUR_MS],
])("%s", (_, expirationSeconds, expected) => {
  expect(lifetimeMs(expirationSeconds, HOUR_MS)).toBe(expected);
});

test("a duration that is shorter than ten minutes is not exceeded", () => {
  expect(lifetimeMs(600, MINUTE_MS)).toBe(MINUTE_MS);
});

describe("a certificate is valid", () => {
  // upstream: pkg/controller/certificates/authority/authority_test.go#TestCertificateAuthority
  test.each<
    [
      string,
      number,
      { backdateMs?: number; shortMs?: number },
      readonly [minutesBefore: number, after: number],
    ]
  >([
    ["from now", HOUR_MS, { backdateMs: 0, shortMs: 0 }, [0, HOUR_MS]],
    ["backdated without short", HOUR_MS, { backdateMs: 5 * MINUTE_MS, shortMs: 0 }, [-5, 55 * MINUTE_MS]],
    ["backdated, however short", MINUTE_MS, { backdateMs: 5 * MINUTE_MS, shortMs: 0 }, [-5, -4 * MINUTE_MS]],
    ["backdated with short", HOUR_MS, {}, [-5, HOUR_MS]],
    ["backdated with short, a minute", MINUTE_MS, {}, [-5, MINUTE_MS]],
    ["backdated, and not short", 23 * HOUR_MS, {}, [-5, 23 * HOUR_MS - 5 * MINUTE_MS]],
    ["as short as the limit", 8 * HOUR_MS, {}, [-5, 8 * HOUR_MS - 5 * MINUTE_MS]],
    ["no longer than its signer", 48 * HOUR_MS, { backdateMs: 0, shortMs: 0 }, [0, 24 * HOUR_MS]],
  ])("%s", (_, lifetime, options, [minutesBefore, after]) => {
    const view = { lifetimeMs: lifetime, signerNotAfterMs: NOW_MS + 24 * HOUR_MS, nowMs: NOW_MS, ...options };
    expect(validityOf(view)).toEqual({
      notBeforeMs: NOW_MS + minutesBefore * MINUTE_MS,
      notAfterMs: NOW_MS + after,
    });
  });

  test.each<[string, number, string]>([
    ["expired", 0, "the signer has expired: NotAfter=2026-01-01 00:00:00 +0000 UTC"],
    [
      "expired within the time that is backdated",
      5 * MINUTE_MS,
      "refusing to sign a certificate that expired in the past: NotAfter=2026-01-01 00:00:00 +0000 UTC",
    ],
  ])("not at all when the signer has %s", (_, backdateMs, problem) => {
    const view = { lifetimeMs: HOUR_MS, signerNotAfterMs: NOW_MS, nowMs: NOW_MS, backdateMs };
    expect(validityOf(view)).toBe(problem);
  });
});
