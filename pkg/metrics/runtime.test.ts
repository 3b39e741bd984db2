import { register } from "prom-client";
import { expect, test } from "vitest";
import { runtimeRegistry } from "./runtime.ts";

test("each registry of a process has the families of the runtime, and the one of all programs has none", async () => {
  for (const registry of [await runtimeRegistry(), await runtimeRegistry()]) {
    const families = (await registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(families).toEqual(
      expect.arrayContaining([
        "nodejs_eventloop_lag_seconds",
        "process_cpu_seconds_total",
        "process_network_receive_bytes_total",
        "process_network_transmit_bytes_total",
        "process_virtual_memory_max_bytes",
      ]),
    );
    expect(families).not.toContain("nodejs_active_handles_total");
  }
  expect(await register.getMetricsAsJSON()).toEqual([]);
});
