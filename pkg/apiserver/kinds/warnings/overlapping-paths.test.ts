import { expect, test } from "vitest";
import { overlapWarnings } from "./overlapping-paths.ts";

const volume = (source: object): Readonly<Record<string, unknown>> => ({ name: "v", ...source });
const items = (...paths: readonly string[]): object => ({ items: paths.map((path) => ({ key: "k", path })) });

test.each<[string, object, readonly string[]]>([
  [
    "the same path",
    { configMap: { name: "m", ...items("a", "b", "a") } },
    ['(ConfigMap "m"): overlapping paths: "a" with "a"'],
  ],
  [
    "a path within another",
    { secret: { secretName: "s", ...items("a/b", "a/") } },
    ['(Secret "s"): overlapping paths: "a" with "a/b"'],
  ],
  [
    "another within a path",
    { downwardAPI: items("a", "a/b") },
    ['(DownwardAPI): overlapping paths: "a/b" with "a"'],
  ],
  ["names that begin alike", { downwardAPI: items("a", "ab", "a-b") }, []],
  ["no path", { downwardAPI: items("", "/", "a") }, []],
  [
    "paths of several sources",
    {
      projected: {
        sources: [
          { configMap: { name: "m", ...items("a") } },
          { secret: { name: "s", ...items("a/b") } },
          { downwardAPI: items("c") },
          { serviceAccountToken: { path: "a" } },
          { clusterTrustBundle: { signerName: "g", path: "c" } },
          { clusterTrustBundle: { name: "n", path: "d" } },
          { podCertificate: { keyPath: "d", certificateChainPath: "e" } },
          {},
        ],
      },
    },
    [
      "(Projected) has no sources provided",
      '(Projected): overlapping paths: "a/b" (Secret "s") with "a" (ConfigMap "m")',
      '(Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (ConfigMap "m")',
      '(Projected): overlapping paths: "a" (ServiceAccountToken) with "a/b" (Secret "s")',
      '(Projected): overlapping paths: "c" (ClusterTrustBundle "g") with "c" (DownwardAPI)',
      '(Projected): overlapping paths: "d" (PodCertificate key) with "d" (ClusterTrustBundle "n")',
    ],
  ],
])("%s", (_, source, told) => {
  expect(overlapWarnings([volume(source)])).toEqual(told.map((text) => `volume "v" ${text}`));
});

test("nobody is told of more than of a hundred, nor is a file compared with very many", () => {
  const paths = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `p${index}`);
  const same = (count: number): readonly string[] => paths(count).map((path) => `${path}/same`);
  // Each of the second hundred meets one of the first.
  expect(overlapWarnings([volume({ configMap: items(...paths(150), ...same(150)) })])).toHaveLength(100);
  expect(overlapWarnings([volume({ configMap: items(...paths(501), "p499", "p500") })])).toHaveLength(1);
});
