#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// What is compiled once need not be compiled at the next start; so nothing may be imported before this.
enableCompileCache();
const { runCommandLine } = await import("./command-line.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));
// Whatever is left in the event loop must not keep the process alive.
setImmediate(() => process.exit());
