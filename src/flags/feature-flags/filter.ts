// Reads the filters and the sort order of lists of flags from the query.
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { couldBeContextKind, couldBeId, couldBeKey } from '../fields.ts';
import { readFieldFilter, readSort, type SortOrder } from '../lists/list-query.ts';

export const FLAG_FILTERS = [
  'applicationEvaluated',
  'archived',
  'codeReferences.max',
  'codeReferences.min',
  'contextKindsEvaluated',
  'creationDate',
  'evaluated',
  'filterEnv',
  'guardedRollout',
  'hasExperiment',
  'hasScheduledChanges',
  'hasWaitingApprovals',
  'maintainerId',
  'maintainerTeamKey',
  'purpose',
  'query',
  'readyToRemove',
  'releasePipeline',
  'sdkAvailability',
  'state',
  'tags',
  'targeting',
  'targetingModifiedDate',
  'type',
] as const;

export const FLAG_SORTS = [
  'creationDate',
  'key',
  'maintainerId',
  'name',
  'tags',
  'targetingModifiedDate',
  'type',
] as const;

export type FlagOrder = SortOrder<(typeof FLAG_SORTS)[number]>;

const STATES = ['live', 'deprecated', 'archived'] as const;

export interface FlagFilter {
  states: readonly string[];
  /** In lower case; part of the key or the name. */
  words?: string;
  /** The flag has all of them. */
  tags: readonly string[];
  isTemporary?: boolean;
  /** The flag has one of these. */
  purposes?: readonly string[];
  /** The flag has none of these. */
  otherPurposes?: readonly string[];
  /** The flag has one of these sums of 1 (mobile keys) and 2 (client-side IDs). */
  availability?: readonly number[];
  maintainerIds?: readonly string[];
  maintainerTeams?: readonly string[];
  createdBefore?: number;
  createdAfter?: number;
  /** SDKs have requested the flag after this time, in the environment of `environmentKey`. */
  evaluatedAfter?: number;
  environmentKey?: string;
  /** It is on, or off, in that environment. */
  isOn?: boolean;
  /** Its configuration there was changed before or after these times. */
  targetingBefore?: number;
  targetingAfter?: number;
  /** Whether a change is scheduled there. */
  isScheduled?: boolean;
  /** Whether a request waits there for approval, or to be applied. */
  isWaiting?: boolean;
  /** Whether it was ready to be removed when that was last looked at. */
  isRemovable?: boolean;
  /** SDKs have evaluated it for contexts of all these kinds lately, in the environment of `environmentKey` or in any. */
  contextKinds: readonly string[];
  /** How often code names the flag, at least and at most. */
  minReferences?: number;
  maxReferences?: number;
  /** No flag can match. */
  isNothing: boolean;
}

/** Each tag becomes a condition of the query. */
const MAX_TAGS = 100;

export interface ListQuery {
  filter?: string;
  tag?: string;
  archived?: boolean;
}

export function readFlagFilter(query: ListQuery): FlagFilter {
  const found = readFieldFilter(query.filter, FLAG_FILTERS);
  const tags = [...new Set([...splitAll(found.tags), ...(query.tag === undefined ? [] : [query.tag])])];
  if (tags.length > MAX_TAGS) throw refuse('filter', `tags takes at most ${MAX_TAGS} tags`);
  const filter: FlagFilter = {
    states: readStates(found.state, found.archived, query.archived),
    tags,
    contextKinds: readContextKinds(found.contextKindsEvaluated),
    isNothing: isNothing(found) || tags.some((tag) => !/^[\w.-]{1,64}$/.test(tag)),
    ...readAvailability(found.sdkAvailability),
    ...readType(found.type),
    ...readPurpose(found.purpose),
    ...readCreation(found.creationDate),
    ...readEvaluation(found.evaluated, found.filterEnv),
    ...readTargeting(found),
    ...readReferences(found['codeReferences.min'], found['codeReferences.max']),
  };
  if (found.readyToRemove !== undefined)
    filter.isRemovable = readBoolean('readyToRemove', found.readyToRemove);
  if (found.query !== undefined) filter.words = found.query.toLowerCase();
  if (found.maintainerId !== undefined) filter.maintainerIds = splitAny(found.maintainerId).filter(couldBeId);
  if (found.maintainerTeamKey !== undefined)
    filter.maintainerTeams = splitAny(found.maintainerTeamKey).filter(couldBeKey);
  if (filter.maintainerIds?.length === 0 || filter.maintainerTeams?.length === 0) filter.isNothing = true;
  if (filter.words?.includes('\0')) filter.isNothing = true;
  return filter;
}

export function readFlagSort(text: string | undefined, hasEnvironment: boolean): FlagOrder[] {
  const orders = readSort(text, FLAG_SORTS);
  if (!orders.some(({ field }) => field === 'targetingModifiedDate')) return orders;
  if (orders.length > 1) throw refuse('sort', 'targetingModifiedDate cannot be combined with others');
  if (!hasEnvironment) throw refuse('sort', 'targetingModifiedDate needs an environment: give env');
  return orders;
}

function readStates(state: string | undefined, archived: string | undefined, asked: boolean | undefined) {
  const states = splitAny(state);
  const unknown = states.find((word) => !(STATES as readonly string[]).includes(word));
  if (unknown !== undefined) throw refuse('filter', `state is one of ${STATES.join(', ')}`);
  if (states.length > 0) return states;
  const isArchived = archived === undefined ? asked : readBoolean('archived', archived);
  return isArchived === true ? ['archived'] : ['live', 'deprecated'];
}

/**
 * Some filters are about features that this server does not have: experiments, guarded rollouts, release pipelines. No flag
 * matches them. Which applications a flag was evaluated for is not recorded, so no flag matches that filter either.
 */
function isNothing(found: FoundFields): boolean {
  const wantsExperiment =
    found.hasExperiment !== undefined && readBoolean('hasExperiment', found.hasExperiment);
  return (
    wantsExperiment ||
    found.guardedRollout !== undefined ||
    found.releasePipeline !== undefined ||
    found.applicationEvaluated !== undefined
  );
}

const MAX_KINDS = 20;

function readContextKinds(text: string | undefined): string[] {
  const kinds = [...new Set(splitAll(text))];
  if (kinds.length > MAX_KINDS || !kinds.every(couldBeContextKind))
    throw refuse('filter', `contextKindsEvaluated takes at most ${MAX_KINDS} context kinds, joined by +`);
  return kinds;
}

function readReferences(
  least: string | undefined,
  most: string | undefined,
): Pick<FlagFilter, 'minReferences' | 'maxReferences'> {
  const min = readCount('codeReferences.min', least) ?? 0;
  const max = readCount('codeReferences.max', most);
  return { ...(min > 0 && { minReferences: min }), ...(max !== undefined && { maxReferences: max }) };
}

const AVAILABILITY: Record<string, readonly number[]> = {
  client: [2, 3],
  mobile: [1, 3],
  anyClient: [1, 2, 3],
  server: [0],
};

function readAvailability(text: string | undefined): Pick<FlagFilter, 'availability'> {
  if (text === undefined) return {};
  const availability = Object.hasOwn(AVAILABILITY, text) ? AVAILABILITY[text] : undefined;
  if (availability === undefined)
    throw refuse('filter', `sdkAvailability is one of ${Object.keys(AVAILABILITY).join(', ')}`);
  return { availability };
}

function readType(text: string | undefined): Pick<FlagFilter, 'isTemporary'> {
  if (text === undefined) return {};
  if (text !== 'temporary' && text !== 'permanent')
    throw refuse('filter', 'type is one of temporary, permanent');
  return { isTemporary: text === 'temporary' };
}

const PURPOSES: readonly string[] = ['migration', 'holdout'];

/** `migration|holdout`, `all`, `!(holdout)`, or, as the command-line tool sends it, `all+!(holdout)`. */
function readPurpose(text: string | undefined): Pick<FlagFilter, 'purposes' | 'otherPurposes'> {
  if (text === undefined || text === 'all') return {};
  const [, excluded] = /^(?:all[+ ])?!\(([^()]*)\)$/.exec(text) ?? [];
  const purposes = splitAny(excluded ?? text);
  if (purposes.length === 0 || !purposes.every((word) => PURPOSES.includes(word))) {
    const example = 'all+!(holdout)';
    throw refuse('filter', `purpose is one of ${PURPOSES.join(', ')}, or all, or all but some: ${example}`);
  }
  return excluded === undefined ? { purposes } : { otherPurposes: purposes };
}

function readCreation(text: string | undefined): Pick<FlagFilter, 'createdBefore' | 'createdAfter'> {
  if (text === undefined) return {};
  const { before, after } = readTimes('creationDate', text, ['before', 'after']);
  return {
    ...(before !== undefined && { createdBefore: before }),
    ...(after !== undefined && { createdAfter: after }),
  };
}

function readEvaluation(
  text: string | undefined,
  environmentKey: string | undefined,
): Pick<FlagFilter, 'evaluatedAfter' | 'environmentKey'> {
  const scope = environmentKey === undefined ? {} : { environmentKey };
  if (text === undefined) return scope;
  if (environmentKey === undefined) throw refuse('filter', 'evaluated needs an environment: give filterEnv');
  const { after } = readTimes('evaluated', text, ['after']);
  return { ...scope, evaluatedAfter: after! };
}

type FoundFields = Partial<Record<(typeof FLAG_FILTERS)[number], string>>;

/** Filters of this server alone, about the flag in one environment. */
const IN_ENVIRONMENT = [
  'targeting',
  'targetingModifiedDate',
  'hasScheduledChanges',
  'hasWaitingApprovals',
] as const;

function readTargeting(
  found: FoundFields,
): Pick<FlagFilter, 'isOn' | 'targetingBefore' | 'targetingAfter' | 'isScheduled' | 'isWaiting'> {
  const first = IN_ENVIRONMENT.find((field) => found[field] !== undefined);
  if (first === undefined) return {};
  if (found.filterEnv === undefined) throw refuse('filter', `${first} needs an environment: give filterEnv`);
  const { targeting, targetingModifiedDate: modified, hasScheduledChanges, hasWaitingApprovals } = found;
  if (targeting !== undefined && targeting !== 'on' && targeting !== 'off')
    throw refuse('filter', 'targeting is one of on, off');
  const { before, after } =
    modified === undefined ? {} : readTimes('targetingModifiedDate', modified, ['before', 'after']);
  return {
    ...(targeting !== undefined && { isOn: targeting === 'on' }),
    ...(before !== undefined && { targetingBefore: before }),
    ...(after !== undefined && { targetingAfter: after }),
    ...(hasScheduledChanges !== undefined && {
      isScheduled: readBoolean('hasScheduledChanges', hasScheduledChanges),
    }),
    ...(hasWaitingApprovals !== undefined && {
      isWaiting: readBoolean('hasWaitingApprovals', hasWaitingApprovals),
    }),
  };
}

/** `{"before":1700000000000}`, with at least one of the words. */
function readTimes<Word extends string>(
  field: string,
  text: string,
  words: readonly Word[],
): Partial<Record<Word, number>> {
  const times = parse(text);
  const names = isObject(times) ? Object.keys(times) : [];
  const isGood =
    isObject(times) &&
    names.length > 0 &&
    names.every((name) => (words as readonly string[]).includes(name) && Number.isSafeInteger(times[name]));
  if (!isGood) {
    const example = `{"${words[0]}":1700000000000}`;
    throw refuse('filter', `${field} takes ${example}, in epoch milliseconds, not "${shorten(text)}"`);
  }
  return times as Partial<Record<Word, number>>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readCount(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw refuse('filter', `${field} takes a number, not "${shorten(text)}"`);
  return Number(text);
}

function readBoolean(field: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw refuse('filter', `${field} is true or false`);
  return text === 'true';
}

/** Words of which all must hold. A plus in a URL that was not encoded arrives as a space. */
function splitAll(text: string | undefined): string[] {
  return (text ?? '').split(/[+ ]/).filter((word) => word !== '');
}

/** Words of which one must hold. */
function splitAny(text: string | undefined): string[] {
  return (text ?? '').split('|').filter((word) => word !== '');
}

function refuse(parameter: string, message: string): Failure {
  return new Failure('malformed', `${parameter}: ${message}.`);
}
