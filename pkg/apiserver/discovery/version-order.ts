const pattern = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;
const stages = ["alpha", "beta", "ga"];

/** Sorts by preference: v2 before v1 before v1beta2 before v1alpha1; names of another form come last, by letter. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return a < b ? -1 : Number(a > b);
    return left === undefined ? 1 : -1;
  }
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

function rank(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const match = pattern.exec(version);
  if (match === null) return undefined;
  const [, major = "0", stage = "ga", minor = "0"] = match;
  return [stages.indexOf(stage), Number(major), Number(minor)];
}
