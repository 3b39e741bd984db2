import { describe, expect, test } from "vitest";
import { silentLogger } from "../../log/logger.ts";
import { type HealthCheck, HealthChecks, type HealthEndpoint } from "./health.ts";

const observed: string[] = [];

function checksOf(...checks: HealthCheck[]): HealthChecks {
  observed.length = 0;
  const registry = new HealthChecks(
    (name, type, healthy) => void observed.push(`${name} ${type} ${healthy}`),
    silentLogger,
  );
  registry.add(...checks);
  return registry;
}

const good = (name: string): HealthCheck => ({ name, concern: "life", check: () => undefined });
const bad = (name: string, concern: HealthCheck["concern"] = "life"): HealthCheck => ({
  name,
  concern,
  check: () => "the secret reason",
});

const plain = { verbose: false, excluded: [] };
const verbose = { verbose: true, excluded: [] };

describe("/healthz", () => {
  test.for([
    ["all well", [good("a"), good("b")], plain, 200, "ok"],
    ["no check", [], plain, 200, "ok"],
    ["no check, verbose", [], verbose, 200, "[+]ping ok\nhealthz check passed\n"],
    [
      "verbose, in order of addition",
      [good("b"), good("a")],
      verbose,
      200,
      "[+]b ok\n[+]a ok\nhealthz check passed\n",
    ],
    [
      "a failure is told without its reason, asked for or not",
      [good("a"), bad("b")],
      plain,
      500,
      "[+]a ok\n[-]b failed: reason withheld\nhealthz check failed\n",
    ],
    ["a failing check is left out", [good("a"), bad("b")], { verbose: false, excluded: ["b"] }, 200, "ok"],
    [
      "left out and unknown names, verbose",
      [bad("a"), good("b")],
      { verbose: true, excluded: ["a", "z", "y"] },
      200,
      '[+]a excluded: ok\n[+]b ok\nwarn: some health checks cannot be excluded: no matches for "y", "z"\nhealthz check passed\n',
    ],
  ] as const)("%s", ([, checks, query, status, text]) => {
    expect(checksOf(...checks).answer("healthz", query)).toEqual({ status, text });
  });

  test("a check that throws has failed, and the others are still run", () => {
    const registry = checksOf({
      name: "broken",
      concern: "life",
      check: () => {
        throw new Error("a defect");
      },
    });
    registry.add(good("after"));
    expect(registry.answer("healthz", plain).text).toBe(
      "[-]broken failed: reason withheld\n[+]after ok\nhealthz check failed\n",
    );
  });

  test("results are observed by endpoint, those left out are not", () => {
    const registry = checksOf(good("a"), bad("b"));
    registry.answer("livez", { verbose: false, excluded: ["a"] });
    expect(observed).toEqual(["b livez false"]);
  });

  test("checks can be replaced in their place, and removed", () => {
    const registry = checksOf(bad("a"), good("b"));
    registry.add(good("a"));
    registry.remove("b");
    expect(registry.answer("healthz", verbose).text).toBe("[+]a ok\nhealthz check passed\n");
  });
});

test("one check tells its reason to those who may ask for it", () => {
  const registry = checksOf(good("a"), bad("b"));
  expect(registry.answerOne("healthz", "a")).toEqual({ status: 200, text: "ok" });
  expect(registry.answerOne("healthz", "b")).toEqual({
    status: 500,
    text: "internal server error: the secret reason\n",
  });
  expect(registry.answerOne("healthz", "c")).toBeUndefined();
});

describe("who fails where", () => {
  const ok = { status: 200, text: "ok" };
  test.each<[HealthCheck["concern"], readonly HealthEndpoint[], readonly HealthEndpoint[]]>([
    ["life", ["healthz", "livez", "readyz"], ["healthz", "livez", "readyz"]],
    ["controller", ["readyz"], ["healthz", "livez", "readyz"]],
    ["caches", ["readyz"], ["readyz"]],
    ["role", ["readyz"], ["readyz"]],
  ])("%s: at %j; listed at %j", (concern, failing, listed) => {
    for (const endpoint of ["healthz", "livez", "readyz"] as const) {
      const registry = checksOf(bad("a", concern), good("b"));
      const isFailing = failing.includes(endpoint);
      const { status } = registry.answer(endpoint, plain);
      expect(status).toBe(isFailing ? 500 : 200);
      const one = registry.answerOne(endpoint, "a");
      if (isFailing) expect(one?.status).toBe(500);
      else expect(one).toEqual(listed.includes(endpoint) ? ok : undefined);
      expect(registry.answer(endpoint, verbose).text.includes("]a ")).toBe(listed.includes(endpoint));
    }
  });
});
