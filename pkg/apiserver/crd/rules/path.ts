/** "spec.validation", "openAPIV3Schema" → the path of a field, as messages write it. */
export function at(path: string, ...fields: readonly string[]): string {
  return [path, ...fields].join(".");
}

/** Of a member of a map. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}

export function index(path: string, position: number): string {
  return `${path}[${position}]`;
}
