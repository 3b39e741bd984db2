/** A private copy of a JSON value, without members that JSON would not carry. Cheaper than structuredClone. */
export function copyJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item ?? null));
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member !== undefined) result[key] = copy(member);
  }
  return result;
}
