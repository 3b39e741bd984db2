import type { Curve } from "./outcome.ts";

interface PlottedCurve {
  readonly name: string;
  readonly curve: Curve;
}

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = { left: 70, right: 20, top: 40, bottom: 40 };
const COLORS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"];
const TICKS = 5;

/** Curves of several managers in one picture, from zero up. Curves of one name (rounds) have one colour. */
export function plot(title: string, horizontal: string, curves: readonly PlottedCurve[]): string {
  const points = curves.flatMap(({ curve }) => curve.points);
  const most = {
    x: roundUp(Math.max(...points.map(([x]) => x))),
    y: roundUp(Math.max(...points.map(([, y]) => y))),
  };
  const x = (value: number): number => MARGIN.left + (value / most.x) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number): number =>
    HEIGHT - MARGIN.bottom - (value / most.y) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const names = [...new Set(curves.map(({ name }) => name))];
  const colorOf = (name: string): string => COLORS[names.indexOf(name) % COLORS.length] ?? "black";
  const lines = curves.map(({ name, curve }) => {
    const path = curve.points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(" ");
    return `<polyline fill="none" stroke="${colorOf(name)}" stroke-width="1.5" points="${path}"/>`;
  });
  const legend = names.map((name, index) =>
    text(MARGIN.left + 12, MARGIN.top + 16 * (index + 1), name, {
      fill: colorOf(name),
      "font-weight": "bold",
    }),
  );
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS).flatMap((share) => [
    `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(share * most.y)}" y2="${y(share * most.y)}" stroke="#ddd"/>`,
    text(MARGIN.left - 6, y(share * most.y) + 4, label(share * most.y), { "text-anchor": "end" }),
    text(x(share * most.x), HEIGHT - MARGIN.bottom + 16, label(share * most.x), { "text-anchor": "middle" }),
  ]);
  const unit = curves[0]?.curve.unit ?? "";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(MARGIN.left, 22, unit === "" ? title : `${title} (${unit})`, { "font-size": "14" }),
    ...ticks,
    text(WIDTH - MARGIN.right, HEIGHT - 6, horizontal, { "text-anchor": "end" }),
    ...lines,
    ...legend,
    "</svg>\n",
  ].join("\n");
}

function text(x: number, y: number, content: string, attributes: Readonly<Record<string, string>>): string {
  const rest = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${rest.join("")}>${escaped}</text>`;
}

/** To a number that five ticks divide nicely. */
function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / (unit / 2)) * (unit / 2);
}

function label(value: number): string {
  return String(Number(value.toPrecision(3)));
}
