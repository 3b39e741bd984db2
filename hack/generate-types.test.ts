import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the committed types are what the generator writes", () => {
  const generator = join(import.meta.dirname, "generate-types.ts");
  expect(() => execFileSync(process.execPath, [generator, "--check"], { stdio: "pipe" })).not.toThrow();
});
