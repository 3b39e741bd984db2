/**
 * Freezes a JSON value and everything in it, in place. What is frozen already is skipped with all that is in it: values
 * share parts with the versions before them, and only whole values are ever frozen.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const member: unknown = value[key];
    if (typeof member === "object" && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}
