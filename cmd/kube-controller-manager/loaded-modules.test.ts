import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PRINT_MODULES =
  "data:text/javascript,process.on('exit',()=>console.log(process.moduleLoadList.join()))";

// See pkg/client/http/node-http.ts.
test("Node's own copy of undici is not loaded", async () => {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const args = ["--import", PRINT_MODULES, main, "--version"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain("NativeModule http");
  expect(stdout).not.toContain("internal/deps/undici");
});
