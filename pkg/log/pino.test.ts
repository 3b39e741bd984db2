import { readFileSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { createLogger, fileDescriptorDestination, type LogOptions, type RootLogger } from "./pino.ts";

const start = Date.UTC(2026, 10, 18, 11, 22, 33) + 123.456;

function capture(options: Partial<LogOptions> = {}): RootLogger & { lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const root = createLogger({
    format: "text",
    destination,
    clock: new VirtualClock(start),
    processId: 1234,
    ...options,
  });
  return { ...root, lines };
}

const jsonOf = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? "null") as Record<string, unknown>;

test("text lines look like klog's structured ones", () => {
  const { logger, lines } = capture();
  const child = logger.child({ component: "deployment-controller" });
  child.info("Scaled", { deployment: { namespace: "default", name: "web" }, replicas: 3, note: 'say "hi"' });
  child.warn("Slow");
  child.error(new Error("boom", { cause: new Error("disk full") }), "Sync failed", { key: "a/b" });
  expect(lines[0]).toBe(
    'I1118 11:22:33.123456    1234 deployment-controller] "Scaled" deployment="default/web" replicas=3 note="say \\"hi\\""\n',
  );
  expect(lines[1]).toBe('W1118 11:22:33.123456    1234 deployment-controller] "Slow"\n');
  expect(lines[2]).toMatch(
    /^E1118 11:22:33\.123456 {4}1234 deployment-controller\] "Sync failed" err="boom: disk full" stack=<\n\t.*pino\.test\.ts/s,
  );
});

test("numbers of 64 bits are numbers", () => {
  const { logger, lines } = capture();
  logger.info("Rolled back", { revision: 9007199254740993n, seconds: [9223372036854775807n] });
  expect(lines[0]).toContain('"Rolled back" revision=9007199254740993 seconds=[9223372036854775807]\n');
  const json = capture({ format: "json" });
  json.logger.info("Rolled back", { revision: 9007199254740993n });
  expect(json.lines[0]).toContain('"revision":9007199254740993,');
});

test("an error with a code is expected and shows no stack", () => {
  const { logger, lines } = capture();
  logger.error(Object.assign(new Error("conflict"), { code: "Conflict" }), "Update failed");
  expect(lines[0]).toBe('E1118 11:22:33.123456    1234 main] "Update failed" err="conflict"\n');
});

test("text values of several lines become an indented block", () => {
  const { logger, lines } = capture();
  logger.info("Diff", { diff: "-a\n+b\n" });
  expect(lines[0]).toContain('"Diff" diff=<\n\t-a\n\t+b\n >\n');
});

test("JSON lines have ts in milliseconds, level, msg and v; errors have err and no v", () => {
  const { logger, lines } = capture({ format: "json", verbosity: 4 });
  logger.child({ component: "gc" }).verbose(4, "Deleted", { pod: { namespace: "a", name: "b" } });
  logger.error("plain", "Failed");
  expect(jsonOf(lines[0])).toEqual({
    level: "info",
    ts: start,
    v: 4,
    component: "gc",
    pod: { namespace: "a", name: "b" },
    msg: "Deleted",
  });
  expect(jsonOf(lines[1])).toEqual({ level: "error", ts: start, err: "plain", msg: "Failed" });
});

test("a key is written once, and a field cannot pose as the line's own", () => {
  const { logger, lines } = capture({ format: "json" });
  logger.child({ key: 1 }).child({ key: 2 }).info("Real", { key: 3, msg: "false", level: "error", ts: 0 });
  expect(lines[0]?.match(/"key"/g)).toHaveLength(1);
  expect(jsonOf(lines[0])).toMatchObject({ key: 3, msg: "Real", level: "info", "field.msg": "false" });
});

test.each([
  { verbosity: 0, vmodule: "", component: "a", level: 0, written: true },
  { verbosity: 0, vmodule: "", component: "a", level: 1, written: false },
  { verbosity: 2, vmodule: "", component: "a", level: 2, written: true },
  { verbosity: 0, vmodule: "depl*=4", component: "deployment", level: 4, written: true },
  { verbosity: 0, vmodule: "depl*=4", component: "xdeployment", level: 4, written: false },
  { verbosity: 0, vmodule: "gc=3, job?=2", component: "job1", level: 2, written: true },
  { verbosity: 0, vmodule: "job?=2", component: "job", level: 2, written: false },
  { verbosity: 5, vmodule: "quiet=1", component: "quiet", level: 2, written: false },
  { verbosity: 0, vmodule: "[a-c]x=2", component: "bx", level: 2, written: true },
  { verbosity: 0, vmodule: "a.b=2", component: "axb", level: 2, written: false },
])("--v=$verbosity --vmodule=$vmodule: level $level of $component is written: $written", (row) => {
  const { logger, lines } = capture({ verbosity: row.verbosity, vmodule: row.vmodule });
  const child = logger.child({ component: row.component });
  child.verbose(row.level, "line");
  expect(child.enabled(row.level)).toBe(row.written);
  expect(lines).toHaveLength(row.written ? 1 : 0);
});

test("levels change at run time for loggers that exist already", () => {
  const { logger, lines, verbosity } = capture();
  const child = logger.child({ component: "gc" });
  child.verbose(3, "before");
  verbosity.setLevel(3);
  child.verbose(3, "after");
  verbosity.setVmodule("gc=1");
  child.verbose(3, "module is quiet");
  expect(() => verbosity.setVmodule("gc")).toThrow(/want pattern=N/);
  expect(child.enabled(1)).toBe(true);
  expect(lines.map((line) => line.split("] ")[1])).toEqual(['"after"\n']);
});

test("secrets never reach a line, however they are nested", () => {
  const { logger, lines } = capture({ format: "json" });
  const secret = {
    kind: "Secret",
    metadata: { name: "s" },
    data: { key: "aHVudGVyMg==" },
    stringData: { b: "hunter2" },
  };
  const user = {
    token: "hunter2",
    "client-key-data": "hunter2",
    password: "hunter2",
    clientKeyData: "hunter2",
  };
  logger.child({ token: "hunter2" }).info("Authorization: Bearer hunter2", {
    list: [secret],
    config: { users: [{ user }] },
    headers: { Authorization: "Basic hunter2" },
    text: "-----BEGIN EC PRIVATE KEY-----\nhunter2\n-----END EC PRIVATE KEY-----",
  });
  logger.error(new Error("refused", { cause: new Error("sent Bearer hunter2") }), "Failed", {
    tokenReviews: 3,
  });
  expect(lines.join("")).not.toMatch(/hunter2|aHVudGVyMg/);
  expect(jsonOf(lines[0])).toMatchObject({
    list: [{ data: { key: "[REDACTED]" }, metadata: { name: "s" } }],
  });
  expect(jsonOf(lines[1])).toMatchObject({ tokenReviews: 3 });
});

test("cycles and strange values are written, not thrown", () => {
  const { logger, lines } = capture({ format: "json" });
  const cycle: Record<string, unknown> = { big: 12n, map: new Map([["a", 1]]), bytes: new Uint8Array(3) };
  cycle["self"] = cycle;
  logger.info("odd", { cycle, nothing: undefined, set: new Set([1]) });
  expect(jsonOf(lines[0])).toMatchObject({
    cycle: { big: 12, map: { a: 1 }, bytes: "[3 bytes]" },
    set: [1],
  });
});

test("flush resolves once the lines are in the file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kcm-log-"));
  const file = join(directory, "log");
  const destination = fileDescriptorDestination(openSync(file, "w"));
  const { logger, flush } = capture({ destination });
  for (let line = 0; line < 1_000; line++) logger.info("line", { line });
  await flush();
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(1_000);
  rmSync(directory, { recursive: true });
});
