import type { Curve } from "./outcome.ts";

export interface Axes {
  /** With their units. */
  readonly horizontal: string;
  readonly vertical: string;
}

interface PlottedCurve {
  /** Of the manager. */
  readonly name: string;
  readonly curve: Curve;
}

const WIDTH = 760;
const HEIGHT = 400;
const MARGIN = { left: 76, right: 24, top: 70, bottom: 56 };
const BOTTOM = HEIGHT - MARGIN.bottom;
const RIGHT = WIDTH - MARGIN.right;
/** Told apart by those who see red and green alike, too, and on black and white by being dark and light. */
const COLORS = ["#0b5cad", "#e8871e", "#2a9d6f", "#8d5aa8", "#6b6b6b"];
const TICKS = 6;

/** Curves of several managers in one picture, from zero up. Curves of one name (rounds) have one colour. */
export function plot(title: string, axes: Axes, curves: readonly PlottedCurve[]): string {
  const points = curves.flatMap(({ curve }) => curve.points);
  const xTicks = ticksUpTo(Math.max(...points.map(([x]) => x)));
  const yTicks = ticksUpTo(Math.max(...points.map(([, y]) => y)));
  const x = (value: number): number => MARGIN.left + (value / (xTicks.at(-1) ?? 1)) * (RIGHT - MARGIN.left);
  const y = (value: number): number => BOTTOM - (value / (yTicks.at(-1) ?? 1)) * (BOTTOM - MARGIN.top);
  const names = [...new Set(curves.map(({ name }) => name))];
  const colorOf = (name: string): string => COLORS[names.indexOf(name) % COLORS.length] ?? "black";
  // Ours comes first, and so is drawn last: above the others.
  const lines = curves.toReversed().map(({ name, curve }) => {
    const path = curve.points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(" ");
    return `<polyline fill="none" stroke="${colorOf(name)}" stroke-width="2" stroke-linejoin="round" points="${path}"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#333">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(MARGIN.left, 26, title, { "font-size": "15", "font-weight": "bold" }),
    ...legend(names, curves, colorOf),
    ...xTicks.flatMap((value) => [
      line([x(value), BOTTOM], [x(value), BOTTOM + 5], "#333"),
      text(x(value), BOTTOM + 20, label(value), { "text-anchor": "middle" }),
    ]),
    ...yTicks.flatMap((value) => [
      line([MARGIN.left, y(value)], [RIGHT, y(value)], value === 0 ? "#333" : "#ddd"),
      text(MARGIN.left - 8, y(value) + 4, label(value), { "text-anchor": "end" }),
    ]),
    text((MARGIN.left + RIGHT) / 2, HEIGHT - 14, axes.horizontal, { "text-anchor": "middle" }),
    text(0, 0, axes.vertical, {
      "text-anchor": "middle",
      transform: `translate(20 ${(MARGIN.top + BOTTOM) / 2}) rotate(-90)`,
    }),
    ...lines,
    "</svg>\n",
  ].join("\n");
}

/** A row above the picture, where no curve can cover it. */
function legend(
  names: readonly string[],
  curves: readonly PlottedCurve[],
  colorOf: (name: string) => string,
): readonly string[] {
  const entries = names.map((name) => {
    const rounds = curves.filter((plotted) => plotted.name === name).length;
    return rounds > 1 ? `${name} (${rounds} rounds)` : name;
  });
  const width = Math.max(...entries.map((entry) => entry.length)) * 7 + 60;
  return names.flatMap((name, index) => {
    const left = MARGIN.left + index * width;
    return [
      line([left, 48], [left + 26, 48], colorOf(name), 3),
      text(left + 34, 52, entries[index] ?? name, {}),
    ];
  });
}

type Point = readonly [x: number, y: number];

function line([x1, y1]: Point, [x2, y2]: Point, color: string, width = 1): string {
  const at = (name: string, value: number): string => `${name}="${Number(value.toFixed(1))}"`;
  return `<line ${at("x1", x1)} ${at("y1", y1)} ${at("x2", x2)} ${at("y2", y2)} stroke="${color}" stroke-width="${width}"/>`;
}

function text(x: number, y: number, content: string, attributes: Readonly<Record<string, string>>): string {
  const rest = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${Number(x.toFixed(1))}" y="${Number(y.toFixed(1))}"${rest.join("")}>${escaped}</text>`;
}

/** Round numbers from zero to the first that is not below `most`. */
function ticksUpTo(most: number): readonly number[] {
  if (!(most > 0)) return [0, 1];
  const least = most / TICKS;
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * unit >= least) ?? 10) * unit;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

function label(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
}
