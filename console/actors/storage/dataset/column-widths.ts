// How wide the columns of items are.
import type { Field, FieldType } from './fields.ts';

const USUAL: Readonly<Record<FieldType, number>> = {
  text: 220,
  number: 120,
  boolean: 96,
  date: 190,
  link: 240,
  image: 240,
  object: 200,
  list: 160,
};
const LEAST = 64;
const MOST = 1200;

export function widthOf({ name, type }: Field, widths: Readonly<Record<string, number>>): number {
  return widths[name] === undefined ? USUAL[type ?? 'text'] : withinBounds(widths[name]);
}

export function withinBounds(width: number): number {
  return Math.round(Math.max(LEAST, Math.min(MOST, width)));
}
