// The upgrade report: which of the calls that were made under older versions would change in a version, how, and what to do.
import type { Api } from '../../http/protocol.ts';
import { Failure } from '../../failure.ts';
import type { KnownCaller } from '../../identity/caller.ts';
import { listMembersById, type Member } from '../../identity/store-members.ts';
import { can } from '../../identity/policy.ts';
import { findToken, findTokens } from '../../identity/store-tokens.ts';
import type { Kernel } from '../../kernel.ts';
import type { Slice } from '../../http/reply/page.ts';
import type { RouteShape } from '../../http/route.ts';
import type { Db } from '../../storage/tables.ts';
import type { ChangedField } from '../../versions/version-effects.ts';
import { allVersions, shownVersion } from '../../versions/version.ts';
import { effectsOf, type RouteEffect } from '../../versions/usage/route-usage.ts';
import {
  findUnrecordedCalls,
  listVersionUsage,
  listUsageEffects,
  usageKeyText,
  type UnrecordedCalls,
  type UsageDone,
  type UsageCallerKind,
  type UsageEffectRow,
  type UsageRow,
  type UsageScope,
} from '../../versions/usage/store.ts';
import { callerIdOf } from '../../versions/usage/version-usage.ts';

/** A change that calls of an operation would notice. */
export interface ImpactChange {
  version: string;
  title: string;
  advice: string;
  in: RouteEffect['in'];
  fields: ChangedField[];
  /** Calls that would notice it. */
  calls: number;
  lastAt: number;
}

export interface ImpactCaller {
  kind: UsageCallerKind;
  /** Of the token, member or program; absent for callers without a credential. */
  id?: string;
  /** Of the token; absent where it has none, or is gone. */
  name?: string;
  member?: string;
}

/** Calls of one caller to one operation in one old version. */
export interface ImpactedCalls {
  caller: ImpactCaller;
  shape: RouteShape;
  version: string;
  variant?: string;
  calls: number;
  firstAt: number;
  lastAt: number;
  changes: ImpactChange[];
  /** Somebody has marked them as mended, and none has come since. */
  done?: { at: number; by?: string };
}

export interface ImpactQuestion {
  /** The version to move to. */
  target: string;
  /** The calls of everybody, for administrators. */
  all?: boolean;
  /** Only those of this token. */
  tokenId?: string | undefined;
  /** Only calls that were last seen then or later. */
  since?: number | undefined;
  slice: Slice;
}

export interface ImpactReport {
  /** Most calls first; one page. */
  items: ImpactedCalls[];
  hasMore: boolean;
  /** Calls, of anybody, that no node had memory for: the report may miss some. */
  unrecorded: UnrecordedCalls | undefined;
}

/** What a caller may ask for, saved counters of this node included; other nodes save theirs within seconds. */
export async function readImpact(
  kernel: Pick<Kernel, 'db' | 'versionUsage'>,
  api: Api,
  caller: KnownCaller,
  { target, all = false, tokenId, since, slice }: ImpactQuestion,
): Promise<ImpactReport> {
  const { db, versionUsage } = kernel;
  const { name, versions } = api.protocol;
  if (!allVersions(versions).includes(target))
    throw new Failure(
      'not-found',
      `There is no version ${shownVersion(target)}. There are: ${allVersions(versions).join(', ')}.`,
    );
  const scope = await scopeOf(db, caller, { all, tokenId });
  await versionUsage.collect();
  const found = await listVersionUsage(
    db,
    { api: name, target, scope, ...(since !== undefined && { since }) },
    slice,
  );
  const rows = found.slice(0, slice.limit);
  const [effects, callers, unrecorded, doers] = await Promise.all([
    listUsageEffects(db, rows),
    describeCallers(db, rows),
    findUnrecordedCalls(db, name),
    listMembersById(db, [...new Set(rows.flatMap(({ done }) => done?.by ?? []))]),
  ]);
  const byKey = Map.groupBy(effects, usageKeyText);
  const shapes = new Map(api.routes.map(({ shape }) => [shape.id, shape]));
  const items = rows.flatMap((row): ImpactedCalls[] => {
    const shape = shapes.get(row.operation);
    // A release may have renamed it.
    if (shape === undefined) return [];
    const { version, variant, calls, firstAt, lastAt } = row;
    const asked = { version, variant: variant === '' ? undefined : variant };
    const known = effectsOf(shape, asked, versions).filter((effect) => effect.version <= target);
    const changes = changesOf(shape, known, byKey.get(usageKeyText(row)) ?? []);
    if (changes.length === 0) return [];
    const described = callers.get(row.caller)!;
    return [
      {
        caller: described,
        shape,
        version,
        ...(variant !== '' && { variant }),
        calls,
        firstAt,
        lastAt,
        changes,
        ...(row.done !== undefined && { done: describeDone(row.done, doers) }),
      },
    ];
  });
  return { items, hasMore: found.length > slice.limit, unrecorded };
}

/** May see the calls of all tokens, with their names. No program may, whatever its owner may do. */
export function maySeeAllUsage(caller: KnownCaller): boolean {
  return caller.program === undefined && can(caller, 'viewAccessToken', 'member/*:token/*');
}

/** A program and a service token act for themselves, and a token that may not see others of its member sees its own calls. */
async function scopeOf(
  db: Db,
  caller: KnownCaller,
  { all, tokenId }: { all: boolean; tokenId: string | undefined },
): Promise<UsageScope> {
  if (all && !maySeeAllUsage(caller))
    throw new Failure('forbidden', 'Only administrators see the calls of everybody. Leave out "all".');
  const own = ownScope(caller);
  if (tokenId === undefined) return all ? 'everybody' : own;
  const token = tokenId === callerIdOf(caller) ? undefined : await findToken(db, tokenId);
  const isOwn = tokenId === callerIdOf(caller) || ('memberId' in own && token?.memberId === own.memberId);
  if (!isOwn && (token === undefined || !maySeeAllUsage(caller)))
    throw new Failure('not-found', 'There is no such token, or it is not yours.');
  return { caller: tokenId };
}

function ownScope(caller: KnownCaller): Exclude<UsageScope, 'everybody'> {
  const { program, token, member } = caller;
  const actsForMember = program === undefined && token?.isService !== true;
  return actsForMember && can(caller, 'viewAccessToken', 'member/me:token/*')
    ? { memberId: member.id }
    : { caller: callerIdOf(caller) };
}

/** Whose calls a caller may mark: those that they see. */
export function markedScope(caller: KnownCaller): UsageScope {
  return maySeeAllUsage(caller) ? 'everybody' : ownScope(caller);
}

function describeDone({ at, by }: UsageDone, doers: readonly Member[]): NonNullable<ImpactedCalls['done']> {
  const doer = doers.find(({ id }) => id === by);
  return { at, ...(doer !== undefined && { by: doer.username }) };
}

async function describeCallers(db: Db, rows: readonly UsageRow[]): Promise<Map<string, ImpactCaller>> {
  const idsOf = (kind: UsageCallerKind) => [
    ...new Set(rows.filter((row) => row.kind === kind).map(({ caller }) => caller)),
  ];
  const memberIds = [...new Set(rows.flatMap(({ memberId }) => memberId ?? []))];
  const [tokens, members] = await Promise.all([
    findTokens(db, idsOf('token')),
    memberIds.length === 0 ? [] : listMembersById(db, memberIds),
  ]);
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  const usernames = new Map(members.map(({ id, username }) => [id, username]));
  return new Map(
    rows.map(({ caller, kind, memberId }): [string, ImpactCaller] => {
      const name = names.get(caller);
      const member = memberId === null ? undefined : usernames.get(memberId);
      return [
        caller,
        {
          kind,
          ...(caller !== '' && { id: caller }),
          ...(name !== undefined && { name }),
          ...(member !== undefined && { member }),
        },
      ];
    }),
  );
}

/** One change may be about several resources of a reply: it is listed once, with all fields. */
function changesOf(
  shape: RouteShape,
  known: readonly RouteEffect[],
  seen: readonly UsageEffectRow[],
): ImpactChange[] {
  const counts = new Map(seen.map((row) => [row.effect, row]));
  const changes = new Map<string, ImpactChange>();
  for (const { id, version, in: place, field, change } of known) {
    const count = counts.get(id);
    if (count === undefined) continue;
    const { title, advice } = change ?? removedOperation(version, shape);
    const listed = changes.get(`${title} ${place}`);
    const entry = listed ?? { version, title, advice, in: place, fields: [], calls: 0, lastAt: 0 };
    if (listed === undefined) changes.set(`${title} ${place}`, entry);
    if (field !== undefined && !entry.fields.some((one) => one.name === field.name)) entry.fields.push(field);
    entry.calls = Math.max(entry.calls, count.calls);
    entry.lastAt = Math.max(entry.lastAt, count.lastAt);
  }
  return [...changes.values()].toSorted(
    (one, other) => other.calls - one.calls || (one.title < other.title ? -1 : 1),
  );
}

/** The description of an operation that ends says what is there instead. */
function removedOperation(version: string, { description }: RouteShape): { title: string; advice: string } {
  const end = `Stop calling it: from ${version} on it answers 404.`;
  return {
    title: `Operation removed in ${version}`,
    advice: description === undefined ? end : `${end} ${description}`,
  };
}
