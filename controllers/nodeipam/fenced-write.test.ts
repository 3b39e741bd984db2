import { afterEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { FencedError } from "../../pkg/leader/fence.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { nodeIpamController } from "./controller.ts";
import { addNodes, node, rangesOf, settings } from "./nodes-in-world.test-data.ts";

let world: ControllerWorld;
afterEach(async () => world.stop());

test("a range whose write was not sent is another Node's that comes with it meanwhile", async () => {
  let mayWrite = false;
  const fenced = (server: Transport): Transport => ({
    send: async (request, signal) => {
      if (!mayWrite && request.method === "PATCH" && request.path.endsWith("/nodes/a"))
        throw new FencedError("the write is not sent", false);
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
  world = await newWorld({ transport: fenced });
  await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
  await addNodes(world, "a");
  await world.run();
  await world.create<Node>(resources.nodes, node("b", "10.0.0.0/24"));
  await world.run();
  mayWrite = true;
  await world.run(600_000);
  expect(await rangesOf(world)).toEqual(["a", "b 10.0.0.0/24"]);
});
