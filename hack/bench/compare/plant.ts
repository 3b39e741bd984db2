// Hollow nodes and a scheduler for the cluster of a kubeconfig, in a process of their own:
// node plant.ts KUBECONFIG NODES [CONTROLLERS THAT NODES WAIT FOR]
import { clientsOf } from "../../../test/harness/admin-client.ts";
import { startHollowWorld } from "../../../test/harness/hollow-world.ts";

const [kubeconfig = "", nodes = "0", ...others] = process.argv.slice(2);
const clients = await clientsOf(kubeconfig);
const world = startHollowWorld(clients, Number(nodes), { others: others.map((name) => ({ name })) });
process.once("SIGTERM", () => void world.stop().then(async () => clients.close()));
