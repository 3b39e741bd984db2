import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { apiReference } from "./api-reference.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "api-reference-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

test("a page has what the room exports, with its comments and nothing else", () => {
  write(
    "queue.d.ts",
    `/** Of keys. */
export interface Queue<K extends { a: "}" }> {
    /** One more; "}" is no end. */
    add(key: K): void;
}
/** Not for others. */
export interface Inner {
    a: string;
}
/**
 * Makes one.
 * It is fair.
 */
export declare function make(size: number): Queue<{ a: "}" }>;
export declare function make(): Queue<{ a: "}" }>;
/** Limits; with braces: {}. */
declare const LIMIT = 1;
export { LIMIT };
`,
  );
  write(
    "more.d.ts",
    `import { Inner } from "./queue.js";\nexport { Inner as Shown };\nexport type Pair = [string, { b: number }];\n`,
  );
  const index = write(
    "index.d.ts",
    `/*\n * Queues.\n *\n *     make(1);\n */\nexport { make, type Queue, LIMIT as MOST } from "./queue.js";\nexport * from "./more.js";\n`,
  );
  expect(apiReference("room/queue", index)).toBe(`# room/queue

Queues.

    make(1);

## make

Makes one.
It is fair.

\`\`\`ts
function make(size: number): Queue<{ a: "}" }>;
function make(): Queue<{ a: "}" }>;
\`\`\`

## Queue

Of keys.

\`\`\`ts
interface Queue<K extends { a: "}" }> {
    /** One more; "}" is no end. */
    add(key: K): void;
}
\`\`\`

## MOST

Limits; with braces: {}.

\`\`\`ts
declare const MOST = 1;
\`\`\`

## Shown

Not for others.

\`\`\`ts
interface Shown {
    a: string;
}
\`\`\`

## Pair

\`\`\`ts
type Pair = [string, { b: number }];
\`\`\`
`);
});

test("what is exported and declared nowhere is an error", () => {
  write("queue.d.ts", "export {};\n");
  const index = write("index.d.ts", 'export { make } from "./queue.js";\n');
  expect(() => apiReference("room", index)).toThrow("make is declared nowhere");
});
