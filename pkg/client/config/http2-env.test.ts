import { expect, test } from "vitest";
import { silentLogger } from "../../log/logger.ts";
import { http2FromEnvironment } from "./http2-env.ts";

const DEFAULTS = { http1Only: false, patience: { idleMs: 30_000, pingMs: 15_000 } };

test.each<[Record<string, string>, unknown, readonly string[]]>([
  [{}, DEFAULTS, []],
  [{ DISABLE_HTTP2: "false" }, { ...DEFAULTS, http1Only: true }, []],
  [{ DISABLE_HTTP2: "" }, DEFAULTS, []],
  [
    { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "5", HTTP2_PING_TIMEOUT_SECONDS: "+07" },
    { http1Only: false, patience: { idleMs: 5_000, pingMs: 7_000 } },
    [],
  ],
  [
    { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "0", HTTP2_PING_TIMEOUT_SECONDS: "0" },
    { http1Only: false, patience: { idleMs: 0, pingMs: 15_000 } },
    [],
  ],
  [
    { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "5s", HTTP2_PING_TIMEOUT_SECONDS: "1.5" },
    DEFAULTS,
    [
      'HTTP2_PING_TIMEOUT_SECONDS="1.5" is no number of seconds: 15 are used',
      'HTTP2_READ_IDLE_TIMEOUT_SECONDS="5s" is no number of seconds: 30 are used',
    ],
  ],
])("the environment %j means %j", (env, settings, warnings) => {
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void warned.push(message) };
  expect(http2FromEnvironment(env, log)).toEqual(settings);
  expect(warned).toEqual(warnings);
});
