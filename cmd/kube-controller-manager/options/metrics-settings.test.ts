import { describe, expect, test } from "vitest";
import { metricsSettings } from "./metrics-settings.ts";
import { resolveOptions } from "./resolve.ts";
import { assembleOptions, parseArguments } from "./parse.ts";

const MANIFEST = "--allow-metric-labels-manifest=f";

function settings(text: string, ...argv: readonly string[]): ReturnType<typeof metricsSettings> {
  return metricsSettings(assembleOptions(parseArguments(argv).given), () => text);
}

test("flags say which metrics there are, and which values their labels have", () => {
  const argv = [
    "--disabled-metrics=a,b",
    "--show-hidden-metrics-for-version=1.35",
    "--allow-metric-labels=m,l=v,w",
  ];
  const { metrics } = resolveOptions(argv, () => "");
  expect(metrics).toEqual({
    version: "1.36.4",
    disabled: ["a", "b"],
    showHiddenForVersion: "1.35",
    allowLabels: { "m,l": "v,w" },
  });
});

describe("the manifest of label values", () => {
  // upstream: component-base/metrics/opts_test.go#TestSetLabelAllowListFromManifest
  test.each<[string, string, Readonly<Record<string, string>>]>([
    [
      "as pairs",
      "metric1,label1: v1,v2\nmetric2,label2: v3",
      { "metric1,label1": "v1,v2", "metric2,label2": "v3" },
    ],
    ["below a key, as the help shows them", 'allowListMapping:\n  "m,l": "v"', { "m,l": "v" }],
    [
      "of values that are no text",
      "m,code: 200\nm,ok: true\nm,none:",
      { "m,code": "200", "m,ok": "true", "m,none": "" },
    ],
    ["in JSON", '{"m,l": "v"}', { "m,l": "v" }],
  ])("is read %s", (_, text, expected) => {
    expect(settings(text, MANIFEST).allowLabels).toEqual(expected);
  });

  // upstream: component-base/metrics/api/v1/config.go#validateAllowListMappingManifest, config_test.go#TestValidate
  test.each([
    ["a list where values should be", "allow-list:\n- m,l:v", "allow-list must be a string"],
    ["a list", "- m,l", "must hold one object"],
    ["no YAML", "a: [", "is neither YAML nor JSON"],
    ["a metric without label", "metric1: v", "must have keys with format `metricName,labelName`"],
    ["a bad name of a metric", "-m,l: v", "must have keys with format `metricName,labelName`"],
    ["a bad name of a label", "allowListMapping: {'m,:l': v}", "must have keys with format"],
  ])("is refused: %s", (_, text, message) => {
    expect(() => settings(text, MANIFEST)).toThrow(`${MANIFEST.replace("=", " ")}: `);
    expect(() => settings(text, MANIFEST)).toThrow(message);
  });

  test("does not go together with the flag", () => {
    expect(() => settings("m,l: v", MANIFEST, "--allow-metric-labels=m,l=v")).toThrow("cannot both be given");
  });
});
