import type * as Http from "node:http";
import { createRequire } from "node:module";

/**
 * The module node:http. An import of it would read all that it exports to make names of them, and its WebSocket is a getter
 * that loads Node's own copy of undici: 16 MB and 14 ms in Node.js 26, for nothing.
 */
export const nodeHttp = createRequire(import.meta.url)("node:http") as typeof Http;
