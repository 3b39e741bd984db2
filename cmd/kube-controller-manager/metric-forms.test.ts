import { afterAll, expect, test } from "vitest";
import { ExecMetrics } from "../../pkg/client/config/exec-metrics.ts";
import { RestMetrics } from "../../pkg/client/rest-metrics.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { tokenCacheMetrics } from "../../pkg/manager/access/token-cache-metrics.ts";
import {
  type HistogramOptions,
  type MetricOptions,
  type Metrics,
  noMetrics,
} from "../../pkg/metrics/metrics.ts";
import { type Family, recordedFamilies } from "../../test/e2e/alone/metric-families.ts";
import { ControllerWorld } from "../../test/harness/controller-world.ts";
import { authorityPair, signingFiles } from "../../test/harness/signing-files.ts";
import { resolveOptions } from "./options/resolve.ts";
import { registry } from "./registry.ts";

const pair = authorityPair({ nowMs: realClock.nowMs() });
const authority = signingFiles(pair);
afterAll(() => authority.remove());

/** Notes in which form each family is asked for, whether it ever counts anything or not. */
function notedIn(families: Map<string, Family>): Metrics {
  const note = (
    type: string,
    { name, labels = [], buckets }: MetricOptions & Partial<HistogramOptions>,
  ): void => {
    families.set(name, {
      type,
      labels: labels.toSorted(),
      ...(buckets && { buckets: [...buckets, Number.MAX_VALUE] }),
    });
  };
  return {
    ...noMetrics,
    counter: (options) => (note("counter", options), noMetrics.counter(options)),
    gauge: (options) => (note("gauge", options), noMetrics.gauge(options)),
    histogram: (options) => (note("histogram", options), noMetrics.histogram(options)),
  };
}

/** What counts what goes between the program and an API server. */
function countRequests(metrics: Metrics): readonly unknown[] {
  return [new RestMetrics(metrics, "host"), new ExecMetrics(metrics, realClock), tokenCacheMetrics(metrics)];
}

test("each family has the type, the labels and the buckets that it has in the Go program", async () => {
  const families = new Map<string, Family>();
  const metrics = notedIn(families);
  countRequests(metrics);
  const flags = ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/16"];
  const world = new ControllerWorld({ metrics });
  await world.start(
    ...registry(resolveOptions(flags, () => "").options, {
      rootCa: () => pair.cert,
      tokenSigner: () => ({ sign: async () => "a token" }) as never,
    }),
  );
  await world.run(1_000);
  await world.stop();
  const recorded = Object.entries(await recordedFamilies()).filter(([name]) => families.has(name));
  expect(recorded.length).toBeGreaterThan(70);
  expect(Object.fromEntries(recorded.map(([name]) => [name, families.get(name)]))).toEqual(
    Object.fromEntries(recorded),
  );
});
