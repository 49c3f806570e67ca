// The parts of a flag or a segment that a change is about, so that changes of two people can be told apart: a rule, a target, a
// field. What belongs together is compared as one.
import { stableJson } from '../../ui/stable-json.ts';
import type { Instruction } from './instruction.ts';

/** By name, as a text that can be compared. */
export type StateParts = ReadonlyMap<string, string>;

/** These change with every change. */
const BOOKKEEPING = new Set(['version', '_version', 'lastModified', 'lastModifiedDate', 'salt', 'sel']);

/** Of the JSON of a flag in an environment, of a flag without environments, or of a segment. */
export function partsOfState(state: unknown): StateParts {
  const parts = new Map<string, string>();
  if (!isObject(state)) return parts;
  for (const [name, value] of Object.entries(state)) {
    if (BOOKKEEPING.has(name) || name === '_links' || name === '_summary' || name === '_site') continue;
    if (name === 'targets' || name === 'contextTargets') addTargets(parts, value);
    else if (name === 'customProperties' && isObject(value))
      for (const [key, one] of Object.entries(value)) parts.set(`customProperties/${key}`, stableJson(one));
    else if (Array.isArray(value)) addList(parts, name, value);
    else parts.set(name, stableJson(value));
  }
  return parts;
}

function addList(parts: Map<string, string>, name: string, list: readonly unknown[]): void {
  const ids = list.map((item) => {
    if (!isObject(item)) return stableJson(item);
    return textOf(item['_id']) ?? textOf(item['key']) ?? stableJson(item);
  });
  for (const [index, id] of ids.entries()) parts.set(`${name}/${id}`, stableJson(list[index]));
  if (name === 'rules') parts.set('rules/order', stableJson(ids));
}

function addTargets(parts: Map<string, string>, lists: unknown): void {
  if (!Array.isArray(lists)) return;
  for (const list of lists) {
    if (!isObject(list) || !Array.isArray(list['values'])) continue;
    const kind = textOf(list['contextKind']) ?? 'user';
    for (const key of list['values'])
      parts.set(`targets/${kind}/${String(key)}`, stableJson(list['variation']));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of the parts that differ. */
export function changedParts(before: StateParts, after: StateParts): Set<string> {
  const names = new Set([...before.keys(), ...after.keys()]);
  return new Set([...names].filter((name) => before.get(name) !== after.get(name)));
}

/** What instructions without a parameter that names a part are about. */
const FIELDS: Readonly<Record<string, string>> = {
  turnFlagOn: 'on',
  turnFlagOff: 'on',
  updateFallthroughVariationOrRollout: 'fallthrough',
  updateOffVariation: 'offVariation',
  updateTrackEvents: 'trackEvents',
  updateTrackEventsFallthrough: 'trackEventsFallthrough',
  addRule: 'rules/new',
  reorderRules: 'rules/order',
  updateName: 'name',
  updateDescription: 'description',
  makeFlagPermanent: 'temporary',
  makeFlagTemporary: 'temporary',
  turnOnClientSideAvailability: 'clientSideAvailability',
  turnOffClientSideAvailability: 'clientSideAvailability',
  addVariation: 'variations/new',
  updateDefaultVariation: 'defaults',
  archiveFlag: 'archived',
  restoreFlag: 'archived',
  deprecateFlag: 'deprecated',
  restoreDeprecatedFlag: 'deprecated',
};

/** `*` is every part. */
export function partsOfInstruction(instruction: Instruction): string[] {
  const { kind } = instruction;
  const values = Array.isArray(instruction['values']) ? (instruction['values'] as unknown[]).map(String) : [];
  const text = (name: string) => (typeof instruction[name] === 'string' ? instruction[name] : undefined);
  const rule = text('ruleId');
  if (rule !== undefined) return kind === 'removeRule' ? [`rules/${rule}`, 'rules/order'] : [`rules/${rule}`];
  const field = FIELDS[kind];
  if (field !== undefined) return [field];
  if (/^(add|remove)(User)?Targets$/.test(kind))
    return values.map((value) => `targets/${text('contextKind') ?? 'user'}/${value}`);
  if (kind.endsWith('Prerequisite')) return [`prerequisites/${text('key') ?? ''}`];
  if (kind.endsWith('CustomProperties')) return [`customProperties/${text('key') ?? ''}`];
  if (kind === 'addTags' || kind === 'removeTags') return values.map((value) => `tags/"${value}"`);
  if (kind.endsWith('Variation')) return [`variations/${text('variationId') ?? ''}`];
  return ['*'];
}

export interface Contest {
  /** The part in general: `rules/…`, `targets`. */
  name: string;
  /** Where mine stand among the instructions. */
  instructions: number[];
}

/** Where both have changed the same part. Removing a rule that others moved is no contest. */
export function findContests(instructions: readonly Instruction[], theirs: ReadonlySet<string>): Contest[] {
  const contests = new Map<string, number[]>();
  for (const [index, instruction] of instructions.entries()) {
    const parts = partsOfInstruction(instruction).filter(
      (part) => !(part === 'rules/order' && instruction.kind === 'removeRule'),
    );
    if (!parts.some((part) => (part === '*' ? theirs.size > 0 : theirs.has(part)))) continue;
    const name = groupOf(parts[0]!);
    contests.set(name, [...(contests.get(name) ?? []), index]);
  }
  // What else I do to a contested rule goes the same way.
  return [...contests].map(([name]) => ({
    name,
    instructions: [...instructions.keys()].filter((index) =>
      partsOfInstruction(instructions[index]!).some((part) => groupOf(part) === name),
    ),
  }));
}

function groupOf(part: string): string {
  return part.startsWith('targets/') || part.startsWith('tags/') ? part.split('/', 1)[0]! : part;
}

/** The JSON of the part, to be shown; undefined where there is none. */
export function textOfPart(parts: StateParts, name: string): string | undefined {
  const own = parts.get(name);
  if (own !== undefined) return shorten(own);
  const inside = [...parts].filter(([one]) => name === '*' || one.startsWith(`${name}/`));
  return inside.length === 0 ? undefined : shorten(inside.map(([one, text]) => `${one}: ${text}`).join('\n'));
}

/** More is not read; the difference has it whole. */
const MAX_TEXT = 1500;

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} …`;
}
