import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** A key that signs tokens. Another thread looks for its primes, which takes as long as reading many modules. */
export async function newAccountKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return privateKey;
}
