import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test(
  "the committed tables of resources and fields are what a real API server says",
  { timeout: 180_000 },
  () => {
    const generator = join(import.meta.dirname, "generate-api-facts.ts");
    expect(() => execFileSync(process.execPath, [generator, "--check"], { stdio: "pipe" })).not.toThrow();
  },
);
