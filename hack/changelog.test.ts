import { expect, test } from "vitest";
import { changelogOf, parseLog } from "./changelog.ts";

const line = (subject: string, date: string, refs = ""): string => [subject, date, refs].join("\u001f");

test("a section begins with the commit that a release has as its tag", () => {
  const log = [
    line("Queues are faster", "2026-12-03", "HEAD -> main"),
    line("Logs are followed", "2026-12-02", "tag: v0.36.1, origin/main"),
    line("A mend", "2026-12-01", "tag: nightly"),
    line("The first", "2026-11-30", "tag: v0.36.0"),
  ].join("\n");
  expect(changelogOf(parseLog(`${log}\n`))).toBe(
    `# Changes

## Unreleased

- Queues are faster

## 0.36.1 (2026-12-02)

- Logs are followed
- A mend

## 0.36.0 (2026-11-30)

- The first
`,
  );
});
