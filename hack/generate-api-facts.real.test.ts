import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test.each(["generate-api-facts.ts", "generate-api-descriptions.ts"])(
  "what %s made is what a real API server says",
  { timeout: 180_000 },
  (name) => {
    const generator = join(import.meta.dirname, name);
    expect(() => execFileSync(process.execPath, [generator, "--check"], { stdio: "pipe" })).not.toThrow();
  },
);
