export interface Point {
  x: number;
  y: number;
}
export const origin: Point = { x: 0, y: 0 };
export default function distance(a: Point, b: Point = origin): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
if (import.meta.main) console.log(distance({ x: 3, y: 4 }), import.meta.filename);
