// Compares two schemas in the same position of a request or a response, at every depth.
import { pairAlternatives } from './alternatives.ts';
import { matchNames } from './names.ts';
import { createComparisonNode, locate, settle } from './locate-differences.ts';
import { stricterRules } from './rules.ts';
import { describeType, SLOTS, UNDESCRIBED } from './schema-shape.ts';
import type { DifferenceKind } from './difference.ts';
import type { SchemaFinding, ComparisonNode } from './locate-differences.ts';
import type { Slot } from './rules.ts';
import type { SchemaReader } from './read-schema.ts';
import type { Direction, Facet, PropertyShape, Schema, SchemaShape } from './schema-shape.ts';

export type CompareSchemas = (older: Schema, newer: Schema) => { place: string; finding: SchemaFinding }[];

interface Pair extends ComparisonNode {
  older: Schema;
  newer: Schema;
}

export function createComparison(
  olderReader: SchemaReader,
  newerReader: SchemaReader,
  direction: Direction,
): CompareSchemas {
  const pairs = new Map<Schema, Map<Schema, Pair>>();
  const noun = direction === 'request' ? 'parameter' : 'field';
  const addedKind = direction === 'request' ? 'optional-parameter-added' : 'response-field-added';
  let nextIndex = 1;

  function pairOf(older: Schema, newer: Schema): Pair {
    const known = pairs.get(older) ?? new Map<Schema, Pair>();
    pairs.set(older, known);
    let pair = known.get(newer);
    if (pair === undefined) {
      pair = { ...createComparisonNode(), older, newer };
      known.set(newer, pair);
    }
    return pair;
  }

  function expand(node: ComparisonNode): void {
    const pair = node as Pair;
    const report = (kind: DifferenceKind, message: string, step = '') =>
      pair.findings.push({ kind, message, step });
    const older = olderReader.shapeOf(pair.older);
    const newer = newerReader.shapeOf(pair.newer);

    if (changesType(older, newer)) {
      report('type-changed', `The type changed from ${describeType(older)} to ${describeType(newer)}.`);
    }
    for (const slot of SLOTS) {
      const [before, after] = [older.get(slot), newer.get(slot)];
      if (before === undefined || after === undefined) continue;
      const { matched, removed, added } = pairAlternatives(
        slot,
        { facets: before, reader: olderReader },
        { facets: after, reader: newerReader },
      );
      if (removed.length > 0 || (added.length > 0 && direction === 'response')) {
        report('type-changed', describeAlternatives(removed, added));
      }
      for (const { left, right, step } of matched) {
        compareValues(left, right, (kind, message) => report(kind, message, step));
        if (direction === 'request') {
          for (const sentence of stricterRules(left.rules, right.rules)) {
            report('validation-rule-added', sentence, step);
          }
        }
        compareMembers(pair, slot, left, right, step);
        compareRest(pair, slot, left, right, step);
      }
    }
  }

  /** A parameter may accept more types; the type of a field must stay as it is. */
  function changesType(older: SchemaShape, newer: SchemaShape): boolean {
    if (direction === 'response') return describeType(older) !== describeType(newer);
    const takesFractions = (shape: SchemaShape) =>
      shape.get('number')?.some((facet) => !facet.whole) ?? false;
    return (
      [...older.keys()].some((slot) => !newer.has(slot)) || (takesFractions(older) && !takesFractions(newer))
    );
  }

  function compareValues(
    older: Facet,
    newer: Facet,
    report: (kind: DifferenceKind, message: string) => void,
  ): void {
    const [before, after] = [older.values, newer.values];
    if (before === undefined && after === undefined) return;
    if (before === undefined) {
      if (direction === 'response') return;
      report('validation-rule-added', `Any value was allowed, now only ${quote(after?.keys() ?? [])}.`);
    } else if (after === undefined) {
      report('enum-values-added', `Any value is possible now, before only ${quote(before.keys())}.`);
    } else {
      const removed = [...before.keys()].filter((value) => !after.has(value));
      const added = [...after.keys()].filter((value) => !before.has(value));
      const change = `the values were ${quote(before.keys())} and are ${quote(after.keys())}`;
      if (removed.length > 0) report('enum-values-removed', `Removed ${quote(removed)}: ${change}.`);
      if (added.length > 0) report('enum-values-added', `Added ${quote(added)}: ${change}.`);
    }
  }

  function compareMembers(pair: Pair, slot: Slot, older: Facet, newer: Facet, step: string): void {
    const typeBefore = (member: PropertyShape) => describeType(olderReader.shapeOf(member.schema));
    const typeAfter = (member: PropertyShape) => describeType(newerReader.shapeOf(member.schema));
    const members = matchNames(
      travelling(older.members, newer.members),
      travelling(newer.members, older.members),
      (removed, added) => typeBefore(removed) === typeAfter(added),
    );
    const report = (name: string, kind: DifferenceKind, message: string) =>
      pair.findings.push({ step: step + memberStep(slot, name), kind, message });

    for (const [name, member] of members.removed) {
      const message = `The ${noun} "${name}" (${typeBefore(member)}) was removed${members.renamedTo}.`;
      report(name, 'parameter-or-field-removed', message);
    }
    for (const [name, member] of members.added) {
      const mustBeSent = direction === 'request' && member.required;
      const what = `${mustBeSent ? 'required ' : ''}${noun} "${name}" (${typeAfter(member)})`;
      const kind = mustBeSent ? 'required-parameter-added' : addedKind;
      report(name, kind, `The ${what} was added${members.renamedFrom}.`);
    }
    for (const { name, before, after } of members.kept) {
      if (direction === 'request' && after.required && !before.required) {
        report(name, 'parameter-made-required', `The parameter "${name}" was optional and is required.`);
      }
      pair.children.push({
        step: step + memberStep(slot, name),
        node: pairOf(before.schema, after.schema),
      });
    }
  }

  /** The members of this direction. A name that is only listed as required does not count beside a described one. */
  function travelling(members: Facet['members'], others: Facet['members']): Map<string, PropertyShape> {
    return new Map(
      [...members].filter(([name, { schema, only }]) => {
        if (only !== undefined && only !== direction) return false;
        if (schema !== UNDESCRIBED) return true;
        const other = others.get(name);
        return direction === 'request' && (other === undefined || other.schema === UNDESCRIBED);
      }),
    );
  }

  /** Unnamed entries are members once a schema describes them; before, the object leaves them undefined. */
  function compareRest(pair: Pair, slot: Slot, older: Facet, newer: Facet, step: string): void {
    const [before, after] = [older.rest, newer.rest];
    const inside = step + restStep(slot);
    const what = slot === 'array' ? 'items' : 'entries of any name';
    const report = (kind: DifferenceKind, message: string) =>
      pair.findings.push({ step: inside, kind, message });

    if (typeof before === 'object' && typeof after === 'object') {
      pair.children.push({ step: inside, node: pairOf(before, after) });
    } else if (typeof before === 'object') {
      // In a request an open object still accepts them.
      if (direction === 'request' && after === 'open') return;
      const type = describeType(olderReader.shapeOf(before));
      report('parameter-or-field-removed', `The ${what} (${type}) were removed.`);
    } else if (typeof after === 'object') {
      const type = describeType(newerReader.shapeOf(after));
      if (direction === 'request' && before === 'open') {
        report('validation-rule-added', `The ${what} were free and must now be ${type}.`);
      } else {
        report(addedKind, `The ${what} (${type}) were added.`);
      }
    } else if (direction === 'request' && before === 'open' && after === 'closed') {
      report('validation-rule-added', `Further ${what} were accepted and are refused now.`);
    }
  }

  return (older, newer) => {
    const root = pairOf(older, newer);
    nextIndex = settle(root, expand, nextIndex);
    return locate(root);
  };
}

function describeAlternatives(removed: readonly string[], added: readonly string[]): string {
  const clauses = [
    ...(removed.length > 0 ? [`no longer ${removed.join(' or ')}`] : []),
    ...(added.length > 0 ? [`newly ${added.join(' or ')}`] : []),
  ];
  return `The alternatives changed: ${clauses.join(', ')}.`;
}

function memberStep(slot: Slot, name: string): string {
  if (slot === 'array') return `[${name}]`;
  return /^[^\s.[\]<>:"*]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function restStep(slot: Slot): string {
  return slot === 'array' ? '[]' : '.*';
}

function quote(values: Iterable<string>): string {
  const all = [...values];
  const shown = all.slice(0, 12).join(', ');
  return all.length > 12 ? `${shown} and ${all.length - 12} more` : shown || 'nothing';
}
