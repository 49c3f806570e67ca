// What the lists of alerts have in common: how they are narrowed, sorted and paged.
import { reply, type Call, type Reply } from '../../kernel/http/route.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { cursorLinks, readCursors } from './alert-cursors.ts';
import type { AlertState, ScanningAlert } from './alert.ts';
import type { AlertCursor, AlertFilter, AlertOrder } from './store-alerts.ts';

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
