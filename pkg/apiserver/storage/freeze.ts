/**
 * Freezes a JSON value in depth. What is frozen already is skipped with all that is in it: stored values share parts
 * with the versions before them, and only whole values were ever frozen.
 */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const member: unknown = value[key];
    if (typeof member === "object" && member !== null) freezeDeep(member);
  }
  return Object.freeze(value);
}

/** All of an object that will not change any more, when only its version is missing. */
export function freezeParts(object: { readonly metadata: object }): void {
  const { metadata } = object;
  for (const key in metadata) freezeDeep(metadata[key as keyof typeof metadata]);
  for (const key in object) if (key !== "metadata") freezeDeep(object[key as keyof typeof object]);
}
