import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import { Website } from "./example.test-data.ts";

test("the README shows this very definition", () => {
  const source = readFileSync(new URL("example.test-data.ts", import.meta.url), "utf8");
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
});

test("its type is the one that the README tells of", () => {
  expectTypeOf<Website["spec"]>().toEqualTypeOf<{
    readonly host: string;
    readonly replicas: number;
    readonly theme?: "light" | "dark";
  }>();
  const blog = Website.object({
    metadata: { name: "blog", namespace: "team" },
    spec: { host: "blog.example" },
  });
  expect(blog.spec.replicas).toBe(2);
});
