import { beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster } from "../../../harness/real-cluster.ts";
import { changes, corpus } from "./corpus.ts";
import { beforeUpdate, causes, comparable, create, update } from "./our-column.ts";
import { askRealServer, kindsWithTables, type RealAnswers } from "./real-answers.ts";
import { readRecorded } from "./recorded.ts";

describe("on their own, the rules tell good objects from bad ones", () => {
  test.each(corpus.map((one) => [one.name, one] as const))("%s", (_name, { object, valid }) => {
    const { errors } = create(object);
    if (valid) expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

describe("on their own, the rules tell good changes from bad ones", () => {
  test.each(changes.map((one) => [one.name, one] as const))("%s", (_name, one) => {
    const { errors } = update(beforeUpdate(one), one.patch, one.subresource ?? "");
    if (one.valid) expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

const where = hasRealCluster() ? "a real API server" : "a real API server has said (corpus/record.ts)";

describe(`the rules say the same as ${where}`, () => {
  let real: RealAnswers;

  beforeAll(async () => {
    real = hasRealCluster() ? await askRealServer() : readRecorded();
  });

  test.each(corpus.map((one) => [one.name, one] as const))("%s", (name, { object, valid }) => {
    const answer = real.created[name];
    if (valid) {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(201);
      const { draft } = create(object, (answer?.body["metadata"] ?? {}) as Record<string, unknown>);
      expect(comparable(draft)).toEqual(comparable(answer?.body ?? {}));
    } else {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(422);
      expect(causes(create(object).errors)).toEqual(causes(answer?.body.details?.causes ?? []));
    }
  });

  test.each(changes.map((one) => [one.name, one] as const))("change: %s", (name, one) => {
    const { created, prepared, answer } = real.changed[name] ?? {};
    expect(created?.code, JSON.stringify(created?.body)).toBe(201);
    if (prepared !== undefined) expect(prepared.code, JSON.stringify(prepared.body)).toBe(200);
    const before = beforeUpdate(one, created?.body["metadata"] as Record<string, unknown>);
    const ours = update(before, one.patch, one.subresource ?? "");
    expect(answer?.code, JSON.stringify(answer?.body)).toBe(one.valid ? 200 : 422);
    if (one.valid) expect(comparable(ours.draft)).toEqual(comparable(answer?.body ?? {}));
    else expect(causes(ours.errors)).toEqual(causes(answer?.body.details?.causes ?? []));
  });

  test.each(kindsWithTables.map((rules) => [rules.resource.kind, rules] as const))(
    "table of %s",
    (kind, rules) => {
      const table = real.tables[kind];
      const definitions = rules.columns.map(({ name, type, format, priority }) => ({
        name,
        type,
        format,
        priority,
      }));
      expect(definitions).toEqual(
        table?.columnDefinitions.map(({ name, type, format, priority }) => ({
          name,
          type,
          format,
          priority,
        })),
      );
      const isTime = (name: string): boolean =>
        ["Age", "Created At", "Last Seen", "First Seen", "Duration"].includes(name);
      for (const { object, cells } of table?.rows ?? []) {
        const ours = rules.columns.map((one) => (isTime(one.name) ? "" : one.cell(object, Date.now())));
        // Upstream gives IP addresses one cell more than columns.
        const theirs = cells
          .slice(0, rules.columns.length)
          .map((cell, index) => (isTime(rules.columns[index]?.name ?? "") ? "" : cell));
        expect(ours, object.metadata.name).toEqual(theirs);
      }
    },
  );
});
