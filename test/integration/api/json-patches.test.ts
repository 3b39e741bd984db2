import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

/** Each adds a key; the last one of many changes nothing. */
const additions = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({ op: "add", path: `/data/k${at % 100}`, value: String(at) }));

describeApi("json patches", (api) => {
  async function patch(operations: readonly object[]): ReturnType<ReturnType<typeof api>["patch"]> {
    const path = await api().configMaps();
    const data = { a: "1", large: "x".repeat(100_000) };
    const made = await api().send("POST", path, { metadata: { name: "c" }, data });
    expect(made.status).toBe(201);
    return api().patch(`${path}/c`, "json", operations);
  }

  test("ten thousand operations are done", async () => {
    const { status, body } = await patch(additions(10_000));
    expect([status, (body.data as Readonly<Record<string, string>>)["k99"]]).toEqual([200, "9999"]);
  });

  test("more operations are too many", async () => {
    const { status, body } = await patch(additions(10_001));
    expect([status, body.reason, body.message]).toEqual([
      413,
      "RequestEntityTooLarge",
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    ]);
  });

  test("what is copied is bounded, all copies together", async () => {
    const copies = Array.from({ length: 40 }, () => ({ op: "copy", from: "/data/large", path: "/data/b" }));
    const { status, body } = await patch(copies);
    expect([status, body.message]).toEqual([
      422,
      "the server rejected our request due to an error in our request",
    ]);
  });

  test("a copy is not the original", async () => {
    const { body } = await patch([
      { op: "add", path: "/metadata/labels", value: { a: "1" } },
      { op: "add", path: "/metadata/labels/b", value: "2" },
      { op: "copy", from: "/metadata/labels", path: "/metadata/annotations" },
      { op: "add", path: "/metadata/labels/c", value: "3" },
      { op: "remove", path: "/metadata/annotations/a" },
    ]);
    expect(body.metadata).toMatchObject({ labels: { a: "1", b: "2", c: "3" } });
    expect(body.metadata).toHaveProperty("annotations", { b: "2" });
  });
});
