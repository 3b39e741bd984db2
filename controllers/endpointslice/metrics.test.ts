import { expect, test } from "vitest";
import { noMetrics, type Labels, type Metrics } from "../../pkg/metrics/metrics.ts";
import { SliceMetrics } from "./metrics.ts";

/** Gauges by name, with the label's value behind it. */
function recording(): { readonly metrics: Metrics; readonly gauges: Map<string, number> } {
  const gauges = new Map<string, number>();
  const metrics: Metrics = {
    ...noMetrics,
    gauge: ({ name }) => ({
      ...noMetrics.gauge({ name, help: "", stability: "BETA" }),
      set: (value: number, labels: Labels = {}) => {
        gauges.set(
          [name.replace("endpoint_slice_controller_", ""), ...Object.values(labels)].join(" "),
          value,
        );
      },
    }),
  };
  return { metrics, gauges };
}

// upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesMetrics_GaugeUpdates
test("gauges follow the Services, each with all its families", () => {
  const { metrics, gauges } = recording();
  const subject = new SliceMetrics(metrics, 100);
  subject.setFillings("ns/a", "IPv4", [{ endpoints: 2, slices: 1 }]);
  subject.setFillings("ns/a", "IPv6", [{ endpoints: 2, slices: 1 }]);
  subject.setFillings("ns/b", "IPv4", [{ endpoints: 150, slices: 3 }]);
  const totals = (): readonly (number | undefined)[] =>
    ["endpoints_desired", "num_endpoint_slices", "desired_endpoint_slices"].map((name) => gauges.get(name));
  expect(totals()).toEqual([154, 5, 4]);
  subject.dropFamily("ns/a", "IPv6");
  expect(totals()).toEqual([152, 4, 3]);
  subject.forgetService("ns/b");
  expect(totals()).toEqual([2, 1, 1]);
});

// upstream: endpointslice/metrics/cache_test.go#TestCache_ServicesByTrafficDistribution
test("Services are counted by their preference", () => {
  const { metrics, gauges } = recording();
  const subject = new SliceMetrics(metrics, 100);
  const counts = (): readonly (number | undefined)[] =>
    ["PreferClose", "FutureValue", "AnotherFutureValue"].map((name) =>
      gauges.get(`services_count_by_traffic_distribution ${name}`),
    );
  const steps: readonly (readonly [string, string | undefined, readonly (number | undefined)[]])[] = [
    ["ns1/service1", "PreferClose", [1, undefined, undefined]],
    ["ns1/service1", "PreferClose", [1, undefined, undefined]],
    ["ns1/service2", "PreferClose", [2, undefined, undefined]],
    ["ns2/service3", "FutureValue", [2, 1, undefined]],
    ["ns3/service4", undefined, [2, 1, undefined]],
    ["ns1/service2", "AnotherFutureValue", [1, 1, 1]],
  ];
  for (const [key, preference, expected] of steps) {
    subject.setPreference(key, preference);
    expect(counts()).toEqual(expected);
  }
  subject.forgetService("ns2/service3");
  expect(counts()).toEqual([1, 0, 1]);
  subject.setPreference("ns1/service1", undefined);
  subject.setPreference("ns1/service2", undefined);
  expect(counts()).toEqual([0, 0, 0]);
});
