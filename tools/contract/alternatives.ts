// Pairs the alternatives of an older anyOf or oneOf with those of a newer one.
import { describeType } from './schema-shape.ts';
import type { SchemaReader } from './read-schema.ts';
import type { Slot } from './rules.ts';
import type { Facet } from './schema-shape.ts';

interface Side {
  facets: readonly Facet[];
  reader: SchemaReader;
}

export interface Pairing {
  matched: { left: Facet; right: Facet; step: string }[];
  /** The names of alternatives without a counterpart. */
  removed: string[];
  added: string[];
}

/** Alternatives that share a smaller part of their members are not the same one changed. */
const LEAST_LIKENESS = 0.5;

export function pairAlternatives(slot: Slot, older: Side, newer: Side): Pairing {
  const [left, right] = [older.facets[0], newer.facets[0]];
  if (left && right && older.facets.length === 1 && newer.facets.length === 1) {
    return { matched: [{ left, right, step: '' }], removed: [], added: [] };
  }
  const describe = ({ facets, reader }: Side): Named[] =>
    facets.map((facet) => ({ facet, name: nameOf(slot, facet, reader), rest: restOf(facet, reader) }));
  const [lefts, rights] = [describe(older), describe(newer)];
  const likenesses = lefts
    .flatMap((one) => rights.map((other) => ({ one, other, likeness: likenessOf(one, other) })))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((first, second) => second.likeness - first.likeness);
  const taken = new Set<unknown>();
  const matched: Pairing['matched'] = [];
  for (const { one, other } of likenesses) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    matched.push({ left: one.facet, right: other.facet, step: `<${other.name}>` });
  }
  const leftOver = (all: Named[]) => all.filter((each) => !taken.has(each)).map(({ name }) => name);
  return { matched, removed: leftOver(lefts), added: leftOver(rights) };
}

interface Named {
  facet: Facet;
  name: string;
  /** The type of entries without names. */
  rest: string;
}

function likenessOf(left: Named, right: Named): number {
  const [names, others] = [left.facet.members, right.facet.members];
  const shared = [...names.keys()].filter((name) => others.has(name)).length;
  const all = names.size + others.size - shared;
  const sharedPart = all > 0 ? shared / all : left.rest === right.rest ? 1 : 0;
  return (left.name === right.name ? 2 : 0) + sharedPart;
}

/** The author's name, or the constant that distinguishes it, or its content. */
function nameOf(slot: Slot, facet: Facet, reader: SchemaReader): string {
  if (facet.label !== undefined) return facet.label;
  if (slot === 'array') return `${restOf(facet, reader)}[]`;
  const names = [...facet.members.keys()].sort();
  for (const name of names) {
    const member = facet.members.get(name);
    const values = member?.required ? reader.shapeOf(member.schema).get('string')?.[0]?.values : undefined;
    if (values?.size === 1) return `${name}=${[...values.values()].join()}`;
  }
  if (names.length === 0) return `{*: ${restOf(facet, reader)}}`;
  return `{${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''}}`;
}

function restOf({ rest }: Facet, reader: SchemaReader): string {
  return typeof rest === 'object' ? describeType(reader.shapeOf(rest)) : 'any';
}
