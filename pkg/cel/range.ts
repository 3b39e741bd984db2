/** The least and the most that something may be: a size, or a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** What nobody knows may be as large as 64 bits can say. */
export const most = 2 ** 64;
export const unknown: Range = { min: 0, max: most };
export const fixed = (value: number): Range => ({ min: value, max: value });

const capped = (value: number): number => Math.min(value, most);

export const plus = (a: Range, b: Range): Range => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
});
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, fixed(0));
export const times = (a: Range, b: Range): Range => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
});
/** Rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});
/** From the least of both to the most of both. */
export const either = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
