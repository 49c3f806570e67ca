// Alerts: list, get, dismiss and reopen them, and list where each was found.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { reply } from '../../kernel/route.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { repositoryResource, type FoundRepository } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { askedRefs, RefQuery, scanningRoute, UPDATE_SCANNING, VIEW_SCANNING } from './access.ts';
import { cursorLinks, readCursors } from './alert-cursors.ts';
import { recordUserAction } from './alert-events.ts';
import type { AlertDismissal, ScanningAlert } from './alert.ts';
import { AlertReply, AlertUpdate, InstanceReply, toAlert, toAlertInstance } from './model.ts';
import { findAlert, listAlerts, listInstances, listRefsOfAlert, updateDismissal } from './store-alerts.ts';
import { updateAlertRefs } from './store-states.ts';
import { lockScanning } from './store-uploads.ts';

const AlertParams = Type.Object({
  ...RepositoryParams,
  alert_number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const listRepositoryAlerts = scanningRoute(
  {
    id: 'code-scanning/list-alerts-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/alerts',
    summary: 'List the code-scanning alerts of a repository',
    description:
      'Those of the default branch, or of the ref that is asked for, the newest first. `before` and `after` are cursors from ' +
      'the header Link, for lists that change while they are read.',
    access: VIEW_SCANNING,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      tool_name: Type.Optional(PlainText()),
      tool_guid: Type.Optional(PlainText()),
      ...RefQuery,
      state: Type.Optional(OneOf(['open', 'closed', 'dismissed', 'fixed'])),
      severity: Type.Optional(OneOf(['critical', 'high', 'medium', 'low', 'error', 'warning', 'note'])),
      sort: Type.Optional(OneOf(['created', 'updated', 'number'])),
      direction: Type.Optional(OneOf(['asc', 'desc'])),
      before: Type.Optional(Type.String()),
      after: Type.Optional(Type.String()),
      ...HostPageQuery,
    }),
    list: AlertReply,
  },
  async ({ query, base, url }, { db }, found) => {
    const { repository } = found;
    const slice = pageSliceOf(query);
    const { state } = query;
    const filter = {
      refs: askedRefs(query) ?? [defaultRefOf(found)],
      ...(state !== undefined && {
        states: state === 'closed' ? (['dismissed', 'fixed'] as const) : [state],
      }),
      ...(query.severity !== undefined && { severity: query.severity }),
      ...(query.tool_name !== undefined && { toolName: query.tool_name }),
      ...(query.tool_guid !== undefined && { toolGuid: query.tool_guid }),
    };
    const sort = query.sort === 'updated' ? 'updated' : 'created';
    const desc = query.direction !== 'asc';
    const cursors = readCursors(query);
    const wanted = { offset: cursors === undefined ? slice.offset : 0, limit: slice.limit + 1 };
    const isBackward = cursors?.before !== undefined;
    const alerts = await listAlerts(
      db,
      repository.number,
      filter,
      { sort, desc: desc !== isBackward },
      wanted,
      cursors?.before ?? cursors?.after,
    );
    if (cursors === undefined) return pageBefore(await showAlerts(db, found, alerts, base), slice);
    const shown = alerts.slice(0, slice.limit);
    if (isBackward) shown.reverse();
    const links = cursorLinks(shown, {
      hasNext: isBackward || alerts.length > slice.limit,
      hasPrevious: isBackward ? alerts.length > slice.limit : cursors.after !== undefined,
      base,
      url,
    });
    return reply(200, await showAlerts(db, found, shown, base), links);
  },
);

const getAlert = scanningRoute(
  {
    id: 'code-scanning/get-alert',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}',
    summary: 'Get a code-scanning alert',
    description: 'Its state is that on the default branch, or where it changed last if it was never there.',
    access: VIEW_SCANNING,
    params: AlertParams,
    reply: { 200: AlertReply },
  },
  async ({ params, base }, { db }, found) => {
    const alert = await readAlert(db, found, params.alert_number);
    return (await showAlerts(db, found, [alert], base))[0]!;
  },
);

const updateAlert = scanningRoute(
  {
    id: 'code-scanning/update-alert',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}',
    summary: 'Dismiss a code-scanning alert, or open it again',
    description:
      'A dismissed alert stays dismissed in later analyses. One that is fixed cannot be dismissed.',
    access: UPDATE_SCANNING,
    params: AlertParams,
    body: AlertUpdate,
    reply: { 200: AlertReply },
  },
  async (call, { db, changes }, found) => {
    const { params, body, caller, base, now } = call;
    const { number } = found.repository;
    const dismissal = dismissalIn(body, caller, now);
    await changes.run(call, async (on) => {
      await lockScanning(on.db, number);
      const before = await readAlert(on.db, found, params.alert_number);
      if (dismissal === null && before.dismissal === null) return;
      if (dismissal !== null && before.state === 'fixed')
        throw new Failure('malformed', 'The alert is fixed: only an open one can be dismissed.');
      await updateDismissal(on.db, number, before.number, dismissal);
      for (const ref of await listRefsOfAlert(on.db, number, before.number))
        await updateAlertRefs(on.db, { repositoryNumber: number, ref }, [before.number], now);
      const after = await readAlert(on.db, found, before.number);
      const verb = dismissal === null ? 'reopened' : 'dismissed';
      on.record({
        accesses: [{ action: UPDATE_SCANNING.action, resource: repositoryResource(found) }],
        kind: 'repository',
        name: found.repository.name,
        verb: `${verb} the code-scanning alert ${before.number} of`,
        before: { state: before.state, dismissal: before.dismissal },
        after: { state: after.state, dismissal },
        ...(dismissal?.comment && { comment: dismissal.comment }),
      });
      if (after.state === before.state) return;
      const by = dismissal === null ? null : ownerOfAccount(accountOf(caller));
      if (after.state !== 'fixed')
        await recordUserAction(on, by === null ? 'reopened_by_user' : 'closed_by_user', after, by, found);
    });
    const alert = await readAlert(db, found, params.alert_number);
    return (await showAlerts(db, found, [alert], base))[0]!;
  },
);

const listAlertInstances = scanningRoute(
  {
    id: 'code-scanning/list-alert-instances',
    method: 'GET',
    path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}/instances',
    summary: 'List where a code-scanning alert was found',
    description: 'One for each ref and category, as the newest analysis that had it says.',
    access: VIEW_SCANNING,
    params: AlertParams,
    query: Type.Object({ ...RefQuery, ...HostPageQuery }),
    list: InstanceReply,
  },
  async ({ params, query, base }, { db }, found) => {
    const slice = pageSliceOf(query);
    const alert = await readAlert(db, found, params.alert_number);
    const more = { ...slice, limit: slice.limit + 1 };
    const { number } = found.repository;
    const instances = await listInstances(db, number, alert.number, askedRefs(query), more);
    return pageBefore(instances, slice).map((one) => toAlertInstance(one, found, alert.number, base));
  },
);

function dismissalIn(
  { state, dismissed_reason: reason, dismissed_comment: comment }: Static<typeof AlertUpdate>,
  caller: Caller,
  now: number,
): AlertDismissal | null {
  if (state === 'open') return null;
  if (reason == null) throw problem('dismissed_reason', 'is required');
  if (caller.kind === 'anonymous') throw new Failure('unauthenticated', 'Requires authentication');
  return { at: now, by: accountOf(caller).id, reason, comment: comment ?? null };
}

async function readAlert(db: Db, found: FoundRepository, number: number): Promise<ScanningAlert> {
  const alert = await findAlert(db, found.repository.number, number, defaultRefOf(found));
  if (alert === undefined) throw new Failure('not-found', 'There is no such alert');
  return alert;
}

function defaultRefOf({ repository }: FoundRepository): string {
  return `refs/heads/${repository.defaultBranch}`;
}

async function showAlerts(db: Db, found: FoundRepository, alerts: readonly ScanningAlert[], base: string) {
  const ids = alerts.flatMap(({ dismissal }) => dismissal?.by ?? []);
  const people = ids.length === 0 ? undefined : await listOwners(db, ids);
  return alerts.map((alert) => toAlert(alert, found, people?.get(alert.dismissal?.by ?? ''), base));
}

export const alertRoutes = [listRepositoryAlerts, getAlert, updateAlert, listAlertInstances];
