import { describe, test } from "vitest";

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
