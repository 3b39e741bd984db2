import type { Logger } from "../../log/logger.ts";
import { DEFAULT_PATIENCE, type PeerPatience } from "../http/heartbeat.ts";

interface Http2Settings {
  readonly http1Only: boolean;
  readonly patience: PeerPatience;
}

/**
 * DISABLE_HTTP2 (anything in it), HTTP2_READ_IDLE_TIMEOUT_SECONDS (0: connections are not asked for signs of life) and
 * HTTP2_PING_TIMEOUT_SECONDS. upstream: apimachinery/pkg/util/net/http.go#SetTransportDefaults
 */
export function http2FromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  log: Logger,
): Http2Settings {
  const milliseconds = (name: string, defaultMs: number): number => {
    const text = env[name];
    if (!text) return defaultMs;
    if (/^[+-]?\d+$/.test(text)) return Number(text) * 1_000;
    log.warn(`${name}=${JSON.stringify(text)} is no number of seconds: ${defaultMs / 1_000} are used`);
    return defaultMs;
  };
  const pingMs = milliseconds("HTTP2_PING_TIMEOUT_SECONDS", DEFAULT_PATIENCE.pingMs);
  return {
    http1Only: Boolean(env["DISABLE_HTTP2"]),
    patience: {
      idleMs: milliseconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", DEFAULT_PATIENCE.idleMs),
      // 0 is the default of Go's HTTP/2 transport.
      pingMs: pingMs > 0 ? pingMs : DEFAULT_PATIENCE.pingMs,
    },
  };
}
