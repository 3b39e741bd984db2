// Runs upstream's conformance against a cluster of its own. Usage: node conformance.ts DIRECTORY SERVERS E2E FLAGS…;
// SERVERS is "" where pods cannot run programs. Ends as the tests do.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startCluster } from "./cluster.ts";
import { PodPrograms } from "./pod-programs.ts";

const [directory = "", servers = "", program = "", ...flags] = process.argv.slice(2);
await using cluster = await startCluster(directory);
await using programs = new PodPrograms({ kubeconfig: cluster.kubeconfig, servers, directory });
if (servers !== "") await programs.start();
const args = [`--kubeconfig=${cluster.kubeconfig}`, ...flags];
const child = spawn(program, args, { cwd: directory, stdio: ["ignore", "inherit", "inherit"] });
const [status] = (await once(child, "exit")) as [number | null];
process.exitCode = status ?? 1;
