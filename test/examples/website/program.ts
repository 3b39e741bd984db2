import { loadAccess } from "../../../pkg/client/config/access.ts";
import { manager } from "../../../pkg/manager/index.ts";
import { websiteOperator } from "./operator.ts";
import { Website } from "./website.ts";

/** The operator as a program of its own. */
const [kubeconfig = ""] = process.argv.slice(2);
const program = manager({
  name: "website-operator",
  run: [websiteOperator],
  installCrds: [Website],
  access: await loadAccess({ kubeconfig, env: process.env }),
  leaderElection: { namespace: "default" },
  port: { health: 0, metrics: 0 },
});
await program.run();
