import type { PartialObject, Stored } from "../../pkg/api/object.ts";
import { type Cidr, overlap, textOfIp } from "../../pkg/endpoints/cidr.ts";
import { AddressSet } from "./address-set.ts";
import {
  type Address,
  addressOfService,
  type CachedRange,
  cidrsOf,
  givenOf,
  gives,
  type Span,
  without,
} from "./ranges.ts";

/** The ranges of ServiceCIDRs, and the addresses that Services have, kept so that nobody has to go through all addresses. */
export class ServiceRanges {
  readonly #ranges = new Map<string, readonly Cidr[]>();
  /** The names of those that are being deleted: few, as a rule. */
  readonly #leaving = new Set<string>();
  readonly #addresses = { IPv4: new AddressSet(), IPv6: new AddressSet() };

  keep(range: Stored<CachedRange>): void {
    const { name, deletionTimestamp } = range.metadata;
    this.#ranges.set(name, cidrsOf(range));
    if (deletionTimestamp !== undefined) this.#leaving.add(name);
  }

  forget({ metadata: { name } }: Stored<CachedRange>): void {
    this.#ranges.delete(name);
    this.#leaving.delete(name);
  }

  keepAddress(object: PartialObject): void {
    const address = addressOfService(object);
    if (address !== undefined) this.#addresses[address.family].add(address.value);
  }

  forgetAddress(object: PartialObject): void {
    const address = addressOfService(object);
    if (address !== undefined) this.#addresses[address.family].delete(address.value);
  }

  /** ServiceCIDRs that are being deleted, and that the address may be of. */
  leavingThatGive(address: Address): readonly string[] {
    return this.#leavingWith((cidr) => gives(cidr, address));
  }

  /** ServiceCIDRs that are being deleted, and that have addresses in common with this one. */
  leavingBeside(range: CachedRange): readonly string[] {
    const cidrs = cidrsOf(range);
    return this.#leavingWith((cidr) => cidrs.some((own) => overlap(own, cidr)));
  }

  /** An address of a Service that is in this ServiceCIDR, and in no other that stays; undefined when there is none. */
  addressOfOnly(range: Stored<CachedRange>): string | undefined {
    for (const cidr of cidrsOf(range)) {
      const others = this.#stayingBeside(cidr, range.metadata.name).map(givenOf);
      for (const span of without(givenOf(cidr), others)) {
        const found = this.#firstIn(span);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Of two that are being deleted the larger one stays, or else the last by name, so that no address is left by both. */
  #stayingBeside(own: Cidr, ownName: string): readonly Cidr[] {
    const stays = (name: string, { length }: Cidr): boolean =>
      !this.#leaving.has(name) || length < own.length || (length === own.length && name > ownName);
    return [...this.#ranges]
      .filter(([name]) => name !== ownName)
      .flatMap(([name, cidrs]) => cidrs.filter((cidr) => overlap(own, cidr) && stays(name, cidr)));
  }

  #firstIn(span: Span): string | undefined {
    const found = this.#addresses[span.family].firstIn(span);
    return found === undefined ? undefined : textOfIp(found, span.family);
  }

  #leavingWith(isMeant: (cidr: Cidr) => boolean): readonly string[] {
    return [...this.#leaving].filter((name) => this.#ranges.get(name)?.some(isMeant) === true);
  }
}
