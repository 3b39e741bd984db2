import { expect, test } from "vitest";
import { compile, kubernetesEnvironment } from "../compile.ts";
import type { Value } from "../values.ts";

function evaluate(text: string): Value {
  const made = compile(text, kubernetesEnvironment);
  if (typeof made === "string") throw new Error(made);
  return made.run(() => undefined, 1_000_000).value;
}

const most = 2n ** 64n - 1n;

test.each([
  ["0.0.0", true],
  ["1.2.3-rc.1+build.5", true],
  [`${most}.${most}.${most}`, true],
  [`${most + 1n}.0.0`, false],
  [`0.${most + 1n}.0`, false],
  [`0.0.${most + 1n}`, false],
  ["01.0.0", false],
  ["1.0", false],
  ["1.0.0.0", false],
  ["v1.0.0", false],
  ["1.0.0-", false],
  ["1.0.0-01", false],
  ["1.0.0+", false],
  ["", false],
])("whether %j is a version", (text, expected) => {
  expect(evaluate(`isSemver("${text}")`)).toBe(expected);
});

const ordered = [
  "0.9.9",
  "1.0.0-1",
  "1.0.0-2",
  "1.0.0-11",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0",
  "1.0.1",
  "1.1.0",
  "2.0.0",
  `${most}.0.0`,
];

test.each(ordered.slice(1).map((later, index) => [ordered[index], later]))(
  "%s comes before %s",
  (one, other) => {
    const compared = [
      `semver("${one}").compareTo(semver("${other}"))`,
      `semver("${other}").compareTo(semver("${one}"))`,
      `semver("${one}").compareTo(semver("${one}+build"))`,
    ];
    expect(compared.map(evaluate)).toEqual([-1n, 1n, 0n]);
    expect(evaluate(`semver("${one}").isLessThan(semver("${other}"))`)).toBe(true);
    expect(evaluate(`semver("${one}").isGreaterThan(semver("${other}"))`)).toBe(false);
  },
);
