// What needs attention about the account: reviews, tokens that expire, rate limits that are nearly used up, calls of old versions.
import { tokenResource } from '../../flags/tokens/model.ts';
import { hostApi } from '../../host/api.ts';
import { findTokens } from '../../kernel/identity/store-tokens.ts';
import { listVersionUsage, type UsageRow } from '../../kernel/versions/usage/store.ts';
import type { Searcher } from '../search/source.ts';
import { SEARCH_SOURCES } from '../search/sources.ts';
import type { Cause } from './model.ts';
import { listAskedReviews, listExpiringTokens } from './store-causes.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Of a limit. */
const NEARLY_USED = 0.8;
/** A shorter window is over before somebody has read of it. */
const MIN_LEFT_MS = 5000;
const MAX_USAGE_ROWS = 100;

export async function findReviews(searcher: Searcher): Promise<Cause[]> {
  const source = SEARCH_SOURCES.get('issue')!;
  const ids = await listAskedReviews(searcher.db, searcher.accountId);
  if (ids.length === 0) return [];
  const shown = await source.show(searcher, await source.read(searcher.db, ids), false);
  return shown.map(({ id, title, path, at = 0 }) => ({
    id: `review-${id}`,
    kind: 'review',
    urgency: 'waiting',
    title,
    reason: 'Your review of the pull request is requested.',
    at,
    action: { label: 'Review', path },
  }));
}

export async function findExpiringTokens({ db, now, caller, can }: Searcher): Promise<Cause[]> {
  const expiring = await listExpiringTokens(db, caller.member.id, now, now + 14 * DAY);
  return expiring
    .filter(({ id, is_service, member_id: memberId }) =>
      can(tokenResource({ id, memberId, isService: is_service === 1 }, caller), 'viewAccessToken'),
    )
    .map(({ id, name, ending, expires_at: at }) => ({
      id: `token-${id}`,
      kind: 'token',
      urgency: 'coming',
      title: name || `…${ending}`,
      reason: `The token …${ending} expires.`,
      at: at ?? now,
      action: { label: 'Replace the token', path: `account/tokens?q=${encodeURIComponent(ending || name)}` },
    }));
}

/** Those that the caller's tokens share. A browser has limits of its own. */
export function findRateLimits({ kernel, caller, now }: Searcher): Promise<Cause[]> {
  const { budget: _budget, ...member } = caller;
  const used = kernel.limits.enabled ? kernel.limits.listUsed(member, now) : [];
  return Promise.resolve(
    used
      .filter(
        ({ counter }) => counter.used >= counter.limit * NEARLY_USED && counter.resetAt - now >= MIN_LEFT_MS,
      )
      .map(({ category, counter: { used: count, limit, resetAt } }) => ({
        id: `rate-limit-${category}`,
        kind: 'rate-limit',
        urgency: 'failing',
        title: category,
        reason: `Your tokens have used ${count} of ${limit} calls.`,
        at: resetAt,
        count,
        action: { label: 'See who spends', path: 'limits' },
      })),
  );
}

/** Calls by the caller's tokens and browsers that the newest version would change. */
export async function findOldVersions({ db, now, caller }: Searcher): Promise<Cause[]> {
  const { name: api, versions } = hostApi.protocol;
  const target = versions.names.at(-1)!;
  const rows = await listVersionUsage(
    db,
    { api, target, scope: { memberId: caller.member.id }, since: now - 7 * DAY },
    { offset: 0, limit: MAX_USAGE_ROWS },
  );
  const groups = Map.groupBy(rows, (row) => `${row.caller}-${row.version}`);
  const tokens = await findTokens(db, [...new Set(rows.map(({ caller: id }) => id))]);
  const names = new Map(tokens.map(({ id, name, ending }) => [id, name || `…${ending}`]));
  return [...groups].map(([key, some]) => {
    const first = some[0]!;
    const { version } = first;
    const operations = some.map(({ operation }) => operation);
    const more = operations.length > 3 ? ` and ${operations.length - 3} more` : '';
    return {
      id: `version-${api}-${key}`,
      kind: 'version',
      urgency: 'coming',
      title: `Version ${version} is called by ${describeCaller(first, names)}`,
      reason: `Version ${target} changes ${operations.slice(0, 3).join(', ')}${more}.`,
      at: Math.max(...some.map(({ lastAt }) => lastAt)),
      count: some.reduce((sum, { calls }) => sum + calls, 0),
      action: {
        label: 'See what changes',
        path: `versions?call=${encodeURIComponent(operations[0]!)}&a=${version}&b=${target}`,
      },
    };
  });
}

function describeCaller({ kind, caller }: UsageRow, names: ReadonlyMap<string, string>): string {
  if (kind !== 'token') return kind === 'session' ? 'a browser' : 'a program';
  const name = names.get(caller);
  return name === undefined ? 'a token that is gone' : `the token ${name}`;
}
