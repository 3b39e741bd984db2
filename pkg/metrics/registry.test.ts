import { platform } from "node:os";
import { expect, test } from "vitest";
import type { MetricOptions, Stability } from "./metrics.ts";
import { validateMetricsConfig, type MetricsConfig } from "./policy.ts";
import { createMetrics } from "./registry.ts";
import { goFloat } from "./series.ts";
import {
  healthcheckMetrics,
  recordBuildInfo,
  recordFeature,
  recordProcessStart,
  recordVersionInfo,
} from "./standard.ts";

const config = (extra: Partial<MetricsConfig> = {}): MetricsConfig => ({ version: "1.36.4", ...extra });
const alpha = (name: string, labels?: readonly string[]): MetricOptions => ({
  name,
  help: "Help.",
  stability: "ALPHA",
  ...(labels === undefined ? {} : { labels }),
});

/** A strict reader of the text format: every sample belongs to the family announced before it. */
function parse(text: string): {
  families: Map<string, { help: string; type: string }>;
  samples: Map<string, number>;
} {
  const families = new Map<string, { help: string; type: string }>();
  const samples = new Map<string, number>();
  let current = "";
  expect(text === "" || text.endsWith("\n")).toBe(true);
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment?.[1] === "HELP") {
      current = comment[2] ?? "";
      expect(families.has(current)).toBe(false);
      families.set(current, { help: comment[3] ?? "", type: "" });
    } else if (comment?.[1] === "TYPE") {
      expect(comment[2]).toBe(current);
      families.set(current, { help: families.get(current)?.help ?? "", type: comment[3] ?? "" });
    } else {
      const sample = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line);
      expect(sample, line).not.toBeNull();
      expect(sample?.[1]?.startsWith(current)).toBe(true);
      expect(samples.has(sample?.[1] ?? "")).toBe(false);
      samples.set(sample?.[1] ?? "", Number(sample?.[2]?.replace("+Inf", "Infinity")));
    }
  }
  return { families, samples };
}

test("counters, gauges and histograms are exposed with their stability, sorted, in the text format", async () => {
  const { main } = createMetrics(config());
  const counter = main.counter(alpha("b_total", ["z", "a"]));
  counter.inc({ z: "1", a: 'quote " slash \\ line\n' });
  counter.with({ a: "x", z: "y" }).inc(2);
  main.gauge({ ...alpha("a_gauge"), stability: "STABLE" }).set(-2.5);
  const histogram = main.histogram({ ...alpha("c_seconds"), stability: "BETA", buckets: [0.1, 1, 10] });
  const bound = histogram.with({});
  for (const value of [0.05, 0.1, 0.5, 5, 50]) bound.observe(value);
  const text = await main.expose();
  expect(text).toContain('b_total{a="quote \\" slash \\\\ line\\n",z="1"} 1\n');
  const { families, samples } = parse(text);
  expect(families.get("a_gauge")).toEqual({ help: "[STABLE] Help.", type: "gauge" });
  expect(families.get("b_total")).toEqual({ help: "[ALPHA] Help.", type: "counter" });
  expect(families.get("c_seconds")).toEqual({ help: "[BETA] Help.", type: "histogram" });
  expect([...families.keys()]).toEqual([...families.keys()].toSorted());
  expect(samples.get("a_gauge")).toBe(-2.5);
  expect(samples.get('b_total{a="x",z="y"}')).toBe(2);
  const buckets = ["0.1", "1", "10", "+Inf"].map((le) => samples.get(`c_seconds_bucket{le="${le}"}`));
  expect(buckets).toEqual([2, 3, 4, 5]);
  expect(samples.get("c_seconds_count")).toBe(5);
  expect(samples.get("c_seconds_sum")).toBeCloseTo(55.65);
  expect(main.contentType).toContain("version=0.0.4");
});

test("a metric without labels is exposed as zero, one with labels only once it has a series", async () => {
  const { main } = createMetrics(config());
  main.counter(alpha("plain_total"));
  const gauge = main.gauge(alpha("labelled", ["name"]));
  const first = parse(await main.expose());
  expect(first.samples.get("plain_total")).toBe(0);
  expect(first.families.has("labelled")).toBe(false);
  gauge.add(3, { name: "a" });
  gauge.with({ name: "b" }).set(1);
  gauge.remove({ name: "b" });
  expect(parse(await main.expose()).samples.get('labelled{name="a"}')).toBe(3);
  gauge.reset();
  expect(parse(await main.expose()).families.has("labelled")).toBe(false);
});

test("asking twice gives the same metric; other options, wrong labels and wrong buckets are errors", () => {
  const { main } = createMetrics(config());
  const counter = main.counter(alpha("x_total", ["code"]));
  expect(main.counter(alpha("x_total", ["code"]))).toBe(counter);
  expect(() => main.counter(alpha("x_total"))).toThrow("registered already");
  expect(() => main.gauge(alpha("x_total", ["code"]))).toThrow("registered already");
  expect(() => counter.inc()).toThrow("label code is missing");
  expect(() => counter.inc({ code: "1", verb: "GET" })).toThrow("has the labels code");
  expect(() => counter.inc({ code: "1" }, -1)).toThrow("cannot decrease");
  expect(() => main.histogram({ ...alpha("h"), buckets: [1, 1] })).toThrow("must increase");
});

test("refreshes run before every scrape", async () => {
  const { main } = createMetrics(config());
  const gauge = main.gauge(alpha("depth"));
  let depth = 7;
  main.onCollect(async () => gauge.set(depth++));
  expect(parse(await main.expose()).samples.get("depth")).toBe(7);
  expect(parse(await main.expose()).samples.get("depth")).toBe(8);
});

const hiding: readonly [Stability, string, string, boolean][] = [
  ["INTERNAL", "1.17.0", "1.17.0", true],
  ["INTERNAL", "1.17.0", "1.16.0", true],
  ["INTERNAL", "1.17.0", "1.18.0", false],
  ["ALPHA", "1.17.0", "1.17.0", true],
  ["ALPHA", "1.17.0", "1.18.0", false],
  ["BETA", "1.17.0", "1.17.0", false],
  ["BETA", "1.17.0", "1.16.0", true],
  ["BETA", "1.17.0", "1.18.0", false],
  ["STABLE", "1.17.0", "1.17.0", false],
  ["STABLE", "1.17.0", "1.15.0", false],
  ["STABLE", "1.17.0", "1.14.0", true],
  ["STABLE", "1.17.0", "1.18.0", false],
  ["INTERNAL", "1.18.0-alpha.0", "1.18.0", false],
  ["INTERNAL", "1.18.0-alpha.0", "1.17.0", true],
  ["BETA", "1.18.0-alpha.0", "1.18.0", false],
  ["BETA", "1.18.0-alpha.0", "1.17.0", false],
  ["STABLE", "2.0.0", "1.99.0", true],
  ["ALPHA", "1.17.0", "2.0.0", false],
];
test.each(hiding)(
  "%s in %s, deprecated since %s: hidden is %s",
  async (stability, version, since, hidden) => {
    const { main } = createMetrics({ version });
    main.counter({ ...alpha("old_total"), stability, deprecatedVersion: since }).inc();
    const { families, samples } = parse(await main.expose());
    expect(families.has("old_total")).toBe(!hidden);
    expect(samples.get("hidden_metrics_total")).toBe(hidden ? 1 : 0);
    const labels = `{deprecated_version="${since}",stability_level="${stability}"}`;
    expect(samples.get(`registered_metrics_total${labels}`)).toBe(hidden ? undefined : 1);
  },
);

test("hidden metrics are shown on demand, marked as deprecated, unless they are disabled", async () => {
  const old = { ...alpha("old_total"), deprecatedVersion: "1.36.0" };
  const shown = createMetrics(config({ showHiddenForVersion: "1.35" }));
  shown.main.counter(old).inc();
  expect(parse(await shown.main.expose()).families.get("old_total")?.help).toBe(
    "[ALPHA] (Deprecated since 1.36.0) Help.",
  );
  const disabled = createMetrics(
    config({ showHiddenForVersion: "1.35", disabled: ["old_total", "", "old_total"] }),
  );
  disabled.main.counter(old).inc();
  const { families, samples } = parse(await disabled.main.expose());
  expect(families.has("old_total")).toBe(false);
  expect(samples.get("disabled_metrics_total")).toBe(1);
});

test("the metrics about metrics count themselves and both registries", async () => {
  const { main, slis } = createMetrics(config());
  healthcheckMetrics(slis);
  const { samples } = parse(await main.expose());
  const count = (stability: string): number | undefined =>
    samples.get(`registered_metrics_total{deprecated_version="",stability_level="${stability}"}`);
  expect([count("BETA"), count("ALPHA"), count("STABLE")]).toEqual([3, 1, 2]);
});

test("label values outside the allow list become unexpected and are counted", async () => {
  const { main } = createMetrics(
    config({ allowLabels: { "m_total,code": "200,404", "m_total,verb": "GET" } }),
  );
  const counter = main.counter(alpha("m_total", ["code", "verb", "host"]));
  counter.inc({ code: "200", verb: "GET", host: "a" });
  counter.inc({ code: "500", verb: "PUT", host: "a" });
  counter.with({ code: "501", verb: "GET", host: "a" }).inc();
  main.counter(alpha("other_total", ["code"])).inc({ code: "999" });
  const { samples } = parse(await main.expose());
  expect(samples.get('m_total{code="200",host="a",verb="GET"}')).toBe(1);
  expect(samples.get('m_total{code="unexpected",host="a",verb="unexpected"}')).toBe(1);
  expect(samples.get('m_total{code="unexpected",host="a",verb="GET"}')).toBe(1);
  expect(samples.get('other_total{code="999"}')).toBe(1);
  expect(samples.get("cardinality_enforcement_unexpected_categorizations_total")).toBe(3);
});

test.each([
  [{}, undefined],
  [{ showHiddenForVersion: "1.35" }, undefined],
  [{ showHiddenForVersion: "1.34" }, "must be omitted or have the value '1.35'"],
  [{ showHiddenForVersion: "1.36" }, "must be omitted or have the value '1.35'"],
  [{ disabled: ["rest_client_requests_total", "a:b"] }, undefined],
  [{ disabled: ["9lives"] }, 'got "9lives"'],
  [{ allowLabels: { "m,l": "" } }, undefined],
  [{ allowLabels: { m: "v" } }, "must have keys with format `metricName,labelName`"],
  [{ allowLabels: { "m,l:x": "v" } }, "must have keys with format `metricName,labelName`"],
])("the flags %j are judged: %s", (extra, message) => {
  const errors = validateMetricsConfig(config(extra));
  if (message === undefined) expect(errors).toEqual([]);
  else expect(errors.join()).toContain(message);
});

test("the standard metrics have upstream's names and labels", async () => {
  const { main, slis, collectRuntime } = createMetrics(config());
  recordBuildInfo(main, {
    major: "1",
    minor: "36",
    gitVersion: "v1.36.4",
    gitCommit: "abc",
    gitTreeState: "clean",
    buildDate: "2026-11-18T00:00:00Z",
    goVersion: "node",
    compiler: "v8",
    platform: "linux/amd64",
  });
  recordVersionInfo(main, { binary: "1.36", emulation: "1.36", minCompatibility: "1.35" });
  recordFeature(main, "ContextualLogging", "BETA", true);
  recordFeature(main, "NativeHistograms", "ALPHA", false);
  recordProcessStart(main, 1_500);
  collectRuntime();
  recordProcessStart(slis, 1_500);
  const observe = healthcheckMetrics(slis);
  observe("leaderElection", "healthz", false);
  observe("leaderElection", "healthz", true);
  const shown = parse(await main.expose());
  expect([...shown.samples.keys()].find((key) => key.startsWith("kubernetes_build_info"))).toBe(
    'kubernetes_build_info{build_date="2026-11-18T00:00:00Z",compiler="v8",git_commit="abc",git_tree_state="clean",git_version="v1.36.4",go_version="node",major="1",minor="36",platform="linux/amd64"}',
  );
  expect(
    shown.samples.get('version_info{binary="1.36",component="kube",emulation="1.36",min_compat="1.35"}'),
  ).toBe(1);
  expect(shown.samples.get('kubernetes_feature_enabled{name="ContextualLogging",stage="BETA"}')).toBe(1);
  expect(shown.samples.get('kubernetes_feature_enabled{name="NativeHistograms",stage="ALPHA"}')).toBe(0);
  expect(shown.samples.get("process_start_time_seconds")).toBe(1.5);
  expect(shown.families.get("process_start_time_seconds")?.help).toMatch(/^\[ALPHA\]/);
  expect(shown.samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  if (platform() === "linux") {
    expect(shown.samples.get("process_network_receive_bytes_total")).toBeGreaterThan(0);
    expect(shown.samples.get("process_network_transmit_bytes_total")).toBeGreaterThan(0);
    expect(shown.samples.get("process_virtual_memory_max_bytes")).toBeGreaterThan(1e6);
  }
  const cpu = [
    "process_cpu_seconds_total",
    "process_cpu_user_seconds_total",
    "process_cpu_system_seconds_total",
  ];
  const [total = 0, user = 0, system = 0] = cpu.map((name) => shown.samples.get(name));
  expect(total).toBeGreaterThan(0);
  expect(total).toBeCloseTo(user + system, 6);
  expect(shown.samples.get("nodejs_external_memory_bytes")).toBeGreaterThan(0);
  expect([...shown.families.keys()].some((name) => name.startsWith("nodejs_"))).toBe(true);
  // What is called a total only grows.
  const totals = [...shown.families].filter(([name]) => name.endsWith("_total"));
  expect(totals.filter(([, { type }]) => type !== "counter").map(([name]) => name)).toEqual([]);
  const sli = parse(await slis.expose());
  expect(Object.fromEntries(sli.samples)).toEqual({
    'kubernetes_healthcheck{name="leaderElection",type="healthz"}': 1,
    'kubernetes_healthchecks_total{name="leaderElection",status="error",type="healthz"}': 1,
    'kubernetes_healthchecks_total{name="leaderElection",status="success",type="healthz"}': 1,
    process_start_time_seconds: 1.5,
  });
});

test.each([
  [1e-8, "1e-08"],
  [1e-5, "1e-05"],
  [0.0001, "0.0001"],
  [0.005, "0.005"],
  [60, "60"],
  [262_144, "262144"],
  [1_048_576, "1.048576e+06"],
  [31_104_000, "3.1104e+07"],
  [1e6, "1e+06"],
  [0, "0"],
  [Infinity, "+Inf"],
])("the bound %d is written as Go writes it: %s", (value, text) => {
  expect(goFloat(value)).toBe(text);
});
