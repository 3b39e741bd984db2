import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ConfigError, type IdentitySource, type Source } from "./identity-source.ts";

/**
 * Reads all files of an identity once and throws a ConfigError for what cannot work: at the start of a program that is
 * a mistake to be told of, not an outage to be waited for. Plugins are not run: what they ask may well be away.
 */
export async function checkIdentity({ ca, cert, key, token }: IdentitySource): Promise<void> {
  if (ca !== undefined) certificateOf("certificate authority", await read("certificate authority", ca));
  if (cert !== undefined && key !== undefined) {
    const certificate = certificateOf("client certificate", await read("client certificate", cert));
    const privateKey = privateKeyOf(await read("client key", key));
    if (!certificate.checkPrivateKey(privateKey)) {
      throw new ConfigError("the client certificate does not belong to the client key");
    }
  }
  if (token !== undefined && (await read("token", token)).toString("utf8").trim() === "") {
    throw new ConfigError("the token is empty");
  }
}

async function read(what: string, source: Source): Promise<Buffer> {
  if ("data" in source) return source.data;
  try {
    return await readFile(source.file);
  } catch (cause) {
    throw new ConfigError(`the ${what} cannot be read: ${(cause as Error).message}`, cause);
  }
}

function certificateOf(what: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new ConfigError(`the ${what} is not a certificate in PEM form`, cause);
  }
}

function privateKeyOf(pem: Buffer): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new ConfigError("the client key is not a private key in PEM form", cause);
  }
}
