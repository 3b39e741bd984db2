/** The first that has all that the programs use. */
const OLDEST = [22, 19];

/** What to tell somebody whose Node.js, as `process.versions.node` names it, is too old; undefined when it is not. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = OLDEST;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `this program needs Node.js ${OLDEST.join(".")} or newer, and this is ${version}`;
}
