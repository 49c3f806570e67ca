// The filter of the list: words and tokens such as `tag:web` or `state:on@production`, in the address, in the field, and as the
// flags API takes it.
import type { SearchPatch, SearchState } from '../../lib/search-state.ts';

export const TOKEN_NAMES = ['tag', 'owner', 'team', 'state', 'changed', 'has', 'is'] as const;
export type TokenName = (typeof TOKEN_NAMES)[number];

export interface FilterToken {
  name: TokenName;
  /** Of those that are about an environment, with its key: `on@production`. */
  value: string;
}

/** What may stand before the environment; undefined where the token is about none. */
const IN_ENVIRONMENT: Partial<Record<TokenName, RegExp>> = {
  state: /^(on|off)$/,
  changed: /^[1-9]\d{0,2}d$/,
  has: /^(schedule|approval)$/,
};
const PLAIN: Partial<Record<TokenName, RegExp>> = {
  tag: /^[\w.-]{1,64}$/,
  owner: /^[^\s,]{1,256}$/,
  team: /^[\w.-]{1,256}$/,
  state: /^(archived|deprecated|live)$/,
  is: /^(stale|temporary|permanent)$/,
};
/** Several of these hold together; of the others the last one counts. */
const REPEATED: readonly TokenName[] = ['tag', 'has', 'is'];
const MAX_TOKENS = 20;
const DAY_MS = 86_400_000;

export function tokenText({ name, value }: FilterToken): string {
  return `${name}:${value}`;
}

/** Undefined where the word is no token: then it is looked for in names and keys. */
export function readToken(word: string, environment: string | undefined): FilterToken | undefined {
  const colon = word.indexOf(':');
  const name = TOKEN_NAMES.find((one) => one === word.slice(0, Math.max(colon, 0)).toLowerCase());
  const value = word.slice(colon + 1);
  if (name === undefined) return undefined;
  if (PLAIN[name]?.test(value)) return { name, value };
  const { kind, place = environment } = partsOf(value);
  if (!IN_ENVIRONMENT[name]?.test(kind) || place === undefined) return undefined;
  return { name, value: `${kind}@${place}` };
}

function partsOf(value: string): { kind: string; place?: string } {
  const at = value.indexOf('@');
  const place = value.slice(at + 1);
  return at < 0 || place === '' ? { kind: value.replace(/@$/, '') } : { kind: value.slice(0, at), place };
}

/** The environment that a token is about. */
function placeOf({ name, value }: FilterToken): string | undefined {
  return IN_ENVIRONMENT[name]?.test(partsOf(value).kind) ? partsOf(value).place : undefined;
}

export function readTokens({ get }: SearchState, environment: string | undefined): FilterToken[] {
  const words = TOKEN_NAMES.flatMap((name) =>
    (get(name) ?? '')
      .split(',')
      .filter((value) => value !== '')
      .map((value) => `${name}:${value}`),
  );
  // Links of the server name what they filter by as its API does.
  if (get('filter') === 'readyToRemove:true') words.push('is:stale');
  return words.slice(0, MAX_TOKENS).flatMap((word) => readToken(word, environment) ?? []);
}

/** For the address. How far the list was read begins anew. */
export function searchPatchOf(tokens: readonly FilterToken[]): SearchPatch {
  const values = TOKEN_NAMES.map((name) => [
    name,
    tokens
      .filter((token) => token.name === name)
      .map(({ value }) => value)
      .join(','),
  ]);
  return { filter: undefined, ...(Object.fromEntries(values) as SearchPatch) };
}

export function hasToken(tokens: readonly FilterToken[], wanted: FilterToken): boolean {
  return tokens.some((token) => tokenText(token) === tokenText(wanted));
}

export function withToken(tokens: readonly FilterToken[], added: FilterToken): FilterToken[] {
  const isKept = (token: FilterToken) =>
    REPEATED.includes(added.name) ? tokenText(token) !== tokenText(added) : token.name !== added.name;
  return [...tokens.filter(isKept), added].slice(-MAX_TOKENS);
}

export function withoutToken(tokens: readonly FilterToken[], gone: FilterToken): FilterToken[] {
  return tokens.filter((token) => tokenText(token) !== tokenText(gone));
}

/** Parts what was typed into tokens and the words that are left. */
export function splitTyped(
  text: string,
  environment: string | undefined,
): { tokens: FilterToken[]; words: string } {
  const tokens: FilterToken[] = [];
  const rest = text.split(/\s+/).filter((word) => {
    const token = readToken(word, environment);
    if (token !== undefined) tokens.push(token);
    return token === undefined;
  });
  return { tokens, words: rest.join(' ').trim() };
}

/** The environments that tokens are about: the server filters by one at a time. */
export function placesOf(tokens: readonly FilterToken[]): string[] {
  return [...new Set(tokens.flatMap((token) => placeOf(token) ?? []))];
}

export function keepPlace(tokens: readonly FilterToken[], place: string): FilterToken[] {
  return tokens.filter((token) => (placeOf(token) ?? place) === place);
}

export interface FilterContext {
  /** The members whom `owner:` names; undefined while they are not known. */
  ownerIds: readonly string[] | undefined;
  /** The beginning of the present hour: the same filter has the same text for a while. */
  hour: number;
}

/** No member has it, so that nothing fits. */
const NOBODY = '0'.repeat(24);

/** As `filter=` takes it; undefined where there is none. */
export function apiFilterOf(
  words: string | undefined,
  tokens: readonly FilterToken[],
  { ownerIds, hour }: FilterContext,
): string | undefined {
  const tags = tokens.filter(({ name }) => name === 'tag').map(({ value }) => value);
  const [place] = placesOf(tokens);
  const parts = [
    ...(words ? [`query:"${words.replaceAll('"', '')}"`] : []),
    ...(tags.length > 0 ? [`tags:${tags.join('+')}`] : []),
    ...(place === undefined ? [] : [`filterEnv:${place}`]),
    ...tokens.flatMap((token) => fieldOf(token, ownerIds ?? [], hour)),
  ];
  return parts.length === 0 ? undefined : parts.join(',');
}

function fieldOf({ name, value }: FilterToken, ownerIds: readonly string[], hour: number): string[] {
  const { kind } = partsOf(value);
  switch (name) {
    case 'tag':
      return [];
    case 'owner':
      return [`maintainerId:${ownerIds.length === 0 ? NOBODY : ownerIds.join('|')}`];
    case 'team':
      return [`maintainerTeamKey:${value}`];
    case 'state':
      return [kind === 'on' || kind === 'off' ? `targeting:${kind}` : `state:${kind}`];
    case 'changed':
      return [`targetingModifiedDate:{"after":${hour - Number.parseInt(kind, 10) * DAY_MS}}`];
    case 'has':
      return [kind === 'schedule' ? 'hasScheduledChanges:true' : 'hasWaitingApprovals:true'];
    default:
      return [kind === 'stale' ? 'readyToRemove:true' : `type:${kind}`];
  }
}
