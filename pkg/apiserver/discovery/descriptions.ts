import { brotliDecompressSync } from "node:zlib";
import { parseJsonBytes } from "../../api/wire-json.ts";
import { packedDescriptions } from "./descriptions.gen.ts";

/** By the name of a schema in OpenAPI documents: what it is, and what its fields are. */
export type Descriptions = Readonly<
  Record<string, readonly [description: string, fields: Readonly<Record<string, string>>]>
>;

/** What the API server says of all that it has. It is a megabyte: whoever asks for it lets go of it. */
export function readDescriptions(): Descriptions {
  return parseJsonBytes(brotliDecompressSync(Buffer.from(packedDescriptions(), "base64"))) as Descriptions;
}
