import { expect, test } from "vitest";
import { seededRandom } from "../../clock/random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { embeddedServer } from "../embedded-server.ts";
import { Output } from "./output.ts";

test("a watch of tables names the columns once, and each event has a table of its own", () => {
  const server = embeddedServer({ clock: new VirtualClock(), random: seededRandom(1) });
  const served = server.parts.registry.find("", "v1", "configmaps");
  if (served === undefined) throw new Error("no ConfigMaps");
  const output = new Output(served, { kind: "table", version: "v1", include: "" }, 0);
  const events = ["a", "b", "c"].map((name, index) =>
    output.event(
      { metadata: { name, resourceVersion: String(index + 1) }, data: { k: "v" } } as never,
      0,
      undefined,
    ),
  );
  expect(events).toMatchObject([
    { kind: "Table", metadata: { resourceVersion: "1" }, rows: [{ cells: ["a", 1, expect.anything()] }] },
    { kind: "Table", metadata: { resourceVersion: "2" }, rows: [{ cells: ["b", 1, expect.anything()] }] },
    { kind: "Table", metadata: { resourceVersion: "3" }, rows: [{ cells: ["c", 1, expect.anything()] }] },
  ]);
  const columns = events.map(
    (event) => (event as { readonly columnDefinitions: readonly object[] | null }).columnDefinitions,
  );
  expect(columns).toEqual([expect.arrayContaining([expect.objectContaining({ name: "Data" })]), null, null]);
});
