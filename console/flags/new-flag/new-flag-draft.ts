// The form of a new flag: what was typed, what is wrong with it, and the call that it makes.
import type { ApiError } from '../../api/error.ts';
import type { FlagType } from '../words.ts';
import { keyFrom, keyProblem, type NamingConvention } from './flag-key.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export interface VariationDraft {
  /** As it was typed. */
  value: string;
  name: string;
  description: string;
}

export interface NewFlagDraft {
  name: string;
  /** Empty where it follows the name. */
  key: string;
  description: string;
  /** The key of the flag to copy; empty for none. */
  source: string;
  type: FlagType;
  variations: VariationDraft[];
  onVariation: number;
  offVariation: number;
  tags: string;
  maintainer: string;
  isTemporary: boolean;
  hasBrowsers: boolean;
  hasMobile: boolean;
  /** Keys of environments. */
  turnOn: string[];
}

/** What new flags of the project begin with. */
export interface FlagDefaults {
  tags: string[];
  temporary: boolean;
  booleanDefaults: {
    trueDisplayName: string;
    falseDisplayName: string;
    trueDescription: string;
    falseDescription: string;
    onVariation: number;
    offVariation: number;
  };
  defaultClientSideAvailability: { usingEnvironmentId: boolean; usingMobileKey: boolean };
}

export function newDraft(defaults: FlagDefaults, ownId: string): NewFlagDraft {
  const { booleanDefaults, defaultClientSideAvailability: availability } = defaults;
  return {
    name: '',
    key: '',
    description: '',
    source: '',
    type: 'boolean',
    variations: variationsFor('boolean', defaults),
    onVariation: booleanDefaults.onVariation,
    offVariation: booleanDefaults.offVariation,
    tags: defaults.tags.join(' '),
    maintainer: ownId,
    isTemporary: defaults.temporary,
    hasBrowsers: availability.usingEnvironmentId,
    hasMobile: availability.usingMobileKey,
    turnOn: [],
  };
}

const EMPTY: VariationDraft = { value: '', name: '', description: '' };

export function variationsFor(type: FlagType, { booleanDefaults }: FlagDefaults): VariationDraft[] {
  if (type !== 'boolean') return [{ ...EMPTY }, { ...EMPTY }];
  const { trueDisplayName, falseDisplayName, trueDescription, falseDescription } = booleanDefaults;
  return [
    { value: 'true', name: trueDisplayName, description: trueDescription },
    { value: 'false', name: falseDisplayName, description: falseDescription },
  ];
}

export function addVariation(variations: readonly VariationDraft[]): VariationDraft[] {
  return [...variations, { ...EMPTY }];
}

export const MAX_VARIATIONS = 50;

export function keyOfDraft({ key, name }: NewFlagDraft, convention: NamingConvention | undefined): string {
  return key === '' ? keyFrom(name, convention) : key;
}

/** `variations.1` is the second one. */
export type DraftErrors = Readonly<Record<string, string>>;

export function checkNewFlag(draft: NewFlagDraft, convention: NamingConvention | undefined): DraftErrors {
  const errors: Record<string, string> = {};
  if (draft.name.trim() === '') errors['name'] = WORDS.nameMissing;
  const key = keyProblem(keyOfDraft(draft, convention), convention);
  if (key !== undefined && !(draft.name.trim() === '' && draft.key === '')) errors['key'] = key;
  if (draft.source !== '') return errors;
  const tag = tagsOf(draft.tags).find((one) => !/^[\w.-]{1,64}$/.test(one));
  if (tag !== undefined) errors['tags'] = WORDS.badTag(tag);
  return { ...errors, ...checkVariations(draft) };
}

function checkVariations({ type, variations }: NewFlagDraft): DraftErrors {
  if (type === 'boolean') return {};
  const seen = new Set<string>();
  const errors = variations.flatMap(({ value }, index) => {
    const problem = valueProblem(type, value);
    const text = problem === undefined ? JSON.stringify(readValue(type, value)) : undefined;
    const isTwice = text !== undefined && seen.has(text);
    if (text !== undefined) seen.add(text);
    const error = problem ?? (isTwice ? WORDS.valueTwice : undefined);
    return error === undefined ? [] : [[`variations.${index}`, error] as const];
  });
  return Object.fromEntries(errors);
}

function valueProblem(type: FlagType, text: string): string | undefined {
  if (text.trim() === '' && type !== 'string') return WORDS.valueMissing;
  if (type === 'number') return Number.isFinite(Number(text)) ? undefined : WORDS.valueNumber;
  if (type !== 'json') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return WORDS.valueJson;
  }
}

function readValue(type: FlagType, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  if (type === 'number') return Number(text);
  return type === 'json' ? (JSON.parse(text) as unknown) : text;
}

/** While it is typed, a value may be none yet. */
function shownValue(type: FlagType, text: string): unknown {
  return valueProblem(type, text) === undefined ? readValue(type, text) : text;
}

function tagsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((tag) => tag !== ''))];
}

/** What is sent to create it. */
export function newFlagBody(draft: NewFlagDraft, convention: NamingConvention | undefined): object {
  const { type, variations, source, maintainer } = draft;
  // A copy takes these from the other flag.
  const own = {
    variations: variations.map(({ value, name, description }) => ({
      value: shownValue(type, value),
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(description.trim() !== '' && { description: description.trim() }),
    })),
    defaults: { onVariation: draft.onVariation, offVariation: draft.offVariation },
    tags: tagsOf(draft.tags),
    temporary: draft.isTemporary,
    clientSideAvailability: { usingEnvironmentId: draft.hasBrowsers, usingMobileKey: draft.hasMobile },
  };
  return {
    key: keyOfDraft(draft, convention),
    name: draft.name.trim(),
    ...(draft.description.trim() !== '' && { description: draft.description.trim() }),
    ...(source === '' && own),
    ...(maintainer !== '' && { maintainerId: maintainer }),
  };
}

const FIELDS = ['name', 'key', 'description', 'tags', 'variations', 'maintainerId', 'defaults'];

/** The field that an error of the API is about; undefined where it is about none of them. */
export function placeNewFlagError({ code, message }: ApiError): [field: string, message: string] | undefined {
  if (code === 'key_exists') return ['key', WORDS.taken];
  // A message begins with the path of what it is about.
  const [, field = '', index] = /^([a-zA-Z]+)(?:\.(\d+))?(?:\.\w+)* /.exec(message) ?? [];
  if (!FIELDS.includes(field)) return undefined;
  return [field === 'variations' && index !== undefined ? `variations.${index}` : field, message];
}
