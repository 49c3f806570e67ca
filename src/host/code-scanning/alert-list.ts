// What the lists of alerts have in common: how they are narrowed, sorted and paged, and who dismissed what they show.
import type { Headers } from '../../kernel/http/protocol.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, type Call, type Reply } from '../../kernel/http/route.ts';
import { OneOf, PlainText, Type, problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { toSimpleRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import type { AlertState, ScanningAlert } from './alert.ts';
import { toAlert, type AlertReply, type OrganizationAlertReply } from './model.ts';
import type { AlertCursor, AlertFilter, AlertOrder, AlertSort } from './store-alerts.ts';
import { siteOf } from '../site.ts';

export const AlertListQuery = {
  tool_name: Type.Optional(PlainText()),
  tool_guid: Type.Optional(PlainText()),
  state: Type.Optional(OneOf(['open', 'closed', 'dismissed', 'fixed'])),
  severity: Type.Optional(OneOf(['critical', 'high', 'medium', 'low', 'error', 'warning', 'note'])),
  sort: Type.Optional(OneOf(['created', 'updated'])),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
  before: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
  ...HostPageQuery,
};

interface SentAlertQuery {
  tool_name?: string;
  tool_guid?: string;
  state?: AlertState | 'closed';
  severity?: string;
  /** Numbers grow in the order of creation. */
  sort?: 'created' | 'updated' | 'number';
  direction?: 'asc' | 'desc';
  before?: string;
  after?: string;
  page: number;
  per_page?: number;
}

type AlertLister = (
  filter: AlertFilter,
  order: AlertOrder,
  slice: Slice,
  after?: AlertCursor,
) => Promise<ScanningAlert[]>;

/** `before` and `after` are cursors; without them pages have numbers. */
export async function readAlertPage<Shown>(
  { query, base, url }: Pick<Call, 'base' | 'url'> & { query: SentAlertQuery },
  list: AlertLister,
  show: (alerts: readonly ScanningAlert[]) => Promise<Shown[]>,
): Promise<Page<Shown> | Reply> {
  const slice = pageSliceOf(query);
  const sort = query.sort === 'updated' ? 'updated' : 'created';
  const desc = query.direction !== 'asc';
  const cursors = readCursors(query);
  const wanted = { offset: cursors === undefined ? slice.offset : 0, limit: slice.limit + 1 };
  const isBackward = cursors?.before !== undefined;
  const alerts = await list(
    filterIn(query),
    { sort, desc: desc !== isBackward },
    wanted,
    cursors?.before ?? cursors?.after,
  );
  if (cursors === undefined) {
    const { items, total, more } = pageBefore(alerts, slice);
    return new Page(await show(items), total, slice, false, more);
  }
  const shown = alerts.slice(0, slice.limit);
  if (isBackward) shown.reverse();
  const links = cursorLinks(shown, {
    sort,
    hasNext: isBackward || alerts.length > slice.limit,
    hasPrevious: isBackward ? alerts.length > slice.limit : cursors.after !== undefined,
    base,
    url,
  });
  return reply(200, await show(shown), links);
}

function filterIn({
  state,
  severity,
  tool_name: toolName,
  tool_guid: toolGuid,
}: SentAlertQuery): AlertFilter {
  return {
    ...(state !== undefined && {
      states: state === 'closed' ? (['dismissed', 'fixed'] as const) : [state],
    }),
    ...(severity !== undefined && { severity }),
    ...(toolName !== undefined && { toolName }),
    ...(toolGuid !== undefined && { toolGuid }),
  };
}

/**
 * A cursor is an alert, and whether the page is before or after it. Undefined where pages are asked for by their
 * numbers. An empty cursor stands for the beginning.
 */
function readCursors(query: {
  before?: string;
  after?: string;
}): { before?: AlertCursor; after?: AlertCursor } | undefined {
  const { before, after } = query;
  if (before === undefined && after === undefined) return undefined;
  if (before) return { before: cursorFrom('before', before) };
  return after ? { after: cursorFrom('after', after) } : {};
}

/** The numbers are exact in JavaScript. */
const CURSOR = /^\d{1,15}-\d{1,15}-\d{1,15}$/;

function cursorFrom(name: string, text: string): AlertCursor {
  const cursor = parseAlertCursor(text);
  if (cursor === undefined) throw problem(`query.${name}`, 'must be from the header Link');
  return cursor;
}

/** Undefined where it is none. */
export function parseAlertCursor(text: string): AlertCursor | undefined {
  const written = Buffer.from(text, 'base64url').toString();
  const [at, repositoryNumber, number] = CURSOR.test(written) ? written.split('-').map(Number) : [];
  if (at === undefined || repositoryNumber === undefined || number === undefined) return undefined;
  return { at, repositoryNumber, number };
}

export function alertCursorOf(
  { createdAt, updatedAt, repositoryNumber, number }: ScanningAlert,
  sort: AlertSort,
): string {
  const at = sort === 'created' ? createdAt : updatedAt;
  return Buffer.from(`${at}-${repositoryNumber}-${number}`).toString('base64url');
}

interface CursorPage {
  sort: AlertSort;
  hasNext: boolean;
  hasPrevious: boolean;
  base: string;
  url: string;
}

function cursorLinks(
  alerts: readonly ScanningAlert[],
  { sort, hasNext, hasPrevious, base, url }: CursorPage,
): Headers {
  const site = siteOf(base);
  const { pathname, searchParams } = new URL(url, base);
  const [first, last] = [alerts[0], alerts.at(-1)];
  const linkTo = (name: 'before' | 'after', alert: ScanningAlert, rel: string) => {
    for (const one of ['before', 'after', 'page']) searchParams.delete(one);
    searchParams.set(name, alertCursorOf(alert, sort));
    return `<${site}${pathname}?${searchParams.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(hasPrevious && first !== undefined ? [linkTo('before', first, 'prev')] : []),
    ...(hasNext && last !== undefined ? [linkTo('after', last, 'next')] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}

export async function showAlerts(
  db: Db,
  found: FoundRepository,
  alerts: readonly ScanningAlert[],
  base: string,
): Promise<Static<typeof AlertReply>[]> {
  const people = await listDismissers(db, alerts);
  return alerts.map((alert) => toAlert(alert, found, people.get(alert.dismissal?.by ?? ''), base));
}

/** Of repositories of one owner; those are left out that the caller does not see, or whose alerts the token may not see. */
export async function showOrganizationAlerts(
  db: Db,
  call: Pick<Call, 'caller' | 'can' | 'base'>,
  owner: FoundRepository['owner'],
  alerts: readonly ScanningAlert[],
): Promise<Static<typeof OrganizationAlertReply>[]> {
  const numbers = [...new Set(alerts.map(({ repositoryNumber }) => repositoryNumber))];
  const [rows, people] = await Promise.all([
    listRepositoriesByNumber(db, numbers),
    listDismissers(db, alerts),
  ]);
  const shown = await showRepositories(db, call.caller, [...rows.values()]);
  const visible = new Map(
    shown
      .filter((found) => call.can(repositoryResource(found)))
      .map((found) => [found.repository.number, found]),
  );
  return alerts.flatMap((alert) => {
    const found = visible.get(alert.repositoryNumber);
    if (found?.owner.id !== owner.id) return [];
    const shownAlert = toAlert(alert, found, people.get(alert.dismissal?.by ?? ''), call.base);
    return { ...shownAlert, repository: toSimpleRepository(found, call.base) };
  });
}

async function listDismissers(db: Db, alerts: readonly ScanningAlert[]) {
  const ids = alerts.flatMap(({ dismissal }) => dismissal?.by ?? []);
  return ids.length === 0 ? new Map<string, never>() : await listOwners(db, ids);
}
