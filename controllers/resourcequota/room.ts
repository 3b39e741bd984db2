/** A namespace in which something of a resource, such as "deployments.apps", gave room to others. */
export class Room {
  readonly namespace: string;
  readonly resource: string;

  constructor(namespace: string, resource: string) {
    this.namespace = namespace;
    this.resource = resource;
  }

  toString(): string {
    return `${this.namespace}/${this.resource}`;
  }
}
