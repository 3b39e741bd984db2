#!/usr/bin/env node
import "../node-version/refuse-old-node.ts";
import nodeModule from "node:module";

// By its default: a name that an old Node.js does not export would end the program before it can say that it is too old.
// What is compiled once need not be compiled at the next start; so nothing may be imported before this.
nodeModule.enableCompileCache();
const { runCommandLine } = await import("./command-line.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));
// Whatever is left in the event loop must not keep the process alive.
setImmediate(() => process.exit());
