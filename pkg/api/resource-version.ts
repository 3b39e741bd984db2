class ResourceVersionError extends Error {
  readonly code = "InvalidResourceVersion";
  constructor(version: string) {
    super(`resource version is not well formed: ${version}`);
    this.name = "ResourceVersionError";
  }
}

/**
 * Orders the versions of two objects of one resource: negative when `a` is older. Versions are decimals of any length
 * without leading zeros; "0" asks for any version and is none itself.
 */
export function compareResourceVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!/^[1-9][0-9]*$/.test(version)) throw new ResourceVersionError(version);
  }
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/** As compareResourceVersions; undefined when one is none: a cache cannot say, or the server is of another kind. */
export function versionOrder(a: string, b: string): number | undefined {
  try {
    return compareResourceVersions(a, b);
  } catch (error) {
    if (error instanceof ResourceVersionError) return undefined;
    throw error;
  }
}
