import { describe, test } from "vitest";
import { serverMinor } from "./real-programs.ts";

type Register<Body> = (name: string, body: Body) => void;

/** A case that applies only where this holds. Elsewhere it is not registered: what is skipped is easily overlooked. */
export function testWhere(applies: boolean): Register<() => void | Promise<void>> {
  return (name, body) => {
    if (applies) test(name, body);
  };
}

/** As `testWhere`, for a group of cases. Another case of the file must be there without it. */
export function describeWhere(applies: boolean): Register<() => void> {
  return (name, body) => {
    if (applies) describe(name, body);
  };
}

/** Those API servers that are v1.`since` or newer: older ones lack what the cases are about, or refuse it. */
export function servedSince<K extends { readonly name: "embedded" | "real" }>(
  kinds: readonly K[],
  since: number,
): readonly K[] {
  return kinds.filter(({ name }) => serverMinor(name) >= since);
}
