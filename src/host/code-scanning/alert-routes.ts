// Alerts: list those of a repository or an organization, get, dismiss and reopen them, and list where each was found.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { OneOf, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { installationOf } from '../apps/program.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { openOrganization, type OrganizationCall, OrganizationParams } from '../organizations/access.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { type FoundRepository, entryOwnerOf, RepositoryParams } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { askedRefs, RefQuery, scanningRoute, UPDATE_SCANNING, VIEW_SCANNING } from './access.ts';
import { recordUserAction } from './alert-events.ts';
import { AlertListQuery, readAlertPage, showAlerts, showOrganizationAlerts } from './alert-list.ts';
import type { AlertDismissal, ScanningAlert } from './alert.ts';
import { AlertReply, AlertUpdate, InstanceReply, toAlertInstance, OrganizationAlertReply } from './model.ts';
import { findAlert, listAlerts, listInstances, listRefsOfAlert, updateDismissal } from './store-alerts.ts';
import { listOrganizationAlerts } from './store-organization-alerts.ts';
import { updateAlertRefs } from './store-applying.ts';
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
      ...AlertListQuery,
      ...RefQuery,
      sort: Type.Optional(OneOf(['created', 'updated', 'number'])),
    }),
    list: AlertReply,
  },
  async (call, { db }, found) => {
    const { number } = found.repository;
    const refs = askedRefs(call.query) ?? [defaultRefOf(found)];
    return await readAlertPage(
      call,
      (filter, order, slice, after) => listAlerts(db, number, refs, filter, order, slice, after),
      (alerts) => showAlerts(db, found, alerts, call.base),
    );
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
    const alert = await changes.run(call, async (tx) => {
      await lockScanning(tx.db, number);
      const before = await readAlert(tx.db, found, params.alert_number);
      if (dismissal === null && before.dismissal === null) return before;
      if (dismissal !== null && before.state === 'fixed')
        throw new Failure('malformed', 'The alert is fixed: only an open one can be dismissed.');
      await updateDismissal(tx.db, number, before.number, dismissal);
      for (const ref of await listRefsOfAlert(tx.db, number, before.number))
        await updateAlertRefs(tx.db, { repositoryNumber: number, ref }, [before.number], now);
      const after = await readAlert(tx.db, found, before.number);
      const verb = dismissal === null ? 'reopened' : 'dismissed';
      tx.record({
        accesses: [{ action: UPDATE_SCANNING.action, resource: repositoryResource(found) }],
        kind: 'repository',
        name: found.repository.name,
        verb: `${verb} the code-scanning alert ${before.number} of`,
        ...entryOwnerOf(found),
        before: { state: before.state, dismissal: before.dismissal },
        after: { state: after.state, dismissal },
        ...(dismissal?.comment && { comment: dismissal.comment }),
      });
      const by = dismissal === null ? null : ownerOfAccount(accountOf(caller));
      if (after.state !== before.state && after.state !== 'fixed')
        await recordUserAction(tx, by === null ? 'reopened_by_user' : 'closed_by_user', after, by, found);
      return after;
    });
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

const listForOrganization = route(
  {
    id: 'code-scanning/list-alerts-for-org',
    method: 'GET',
    path: '/orgs/{org}/code-scanning/alerts',
    summary: 'List the code-scanning alerts of an organization',
    description:
      'Those on the default branches of its repositories, the newest first, for admins of the organization. A repository that ' +
      'gets another owner or default branch is listed anew soon after.',
    access: VIEW_SCANNING,
    params: Type.Object(OrganizationParams),
    query: Type.Object(AlertListQuery),
    list: OrganizationAlertReply,
  },
  async (call, { db }) => {
    const organization = await openScannedOrganization(db, call);
    const reach = installationOf(call.caller)?.reach;
    const owner = { ownerId: organization.id, ...(reach && { reach }) };
    return await readAlertPage(
      call,
      (...how) => listOrganizationAlerts(db, owner, ...how),
      (alerts) => showOrganizationAlerts(db, call, ownerOfOrganization(organization), alerts),
    );
  },
  async (call, { db }) => void (await openScannedOrganization(db, call)),
);

async function openScannedOrganization(
  db: Db,
  call: Pick<OrganizationCall, 'can' | 'caller'> & { params: unknown },
): Promise<Organization> {
  const { organization, isAdmin } = await openOrganization(db, call as OrganizationCall, 'anyone');
  if (isAdmin) return organization;
  throw new Failure('denied', `You must be an admin of the organization ${organization.login}.`);
}

export const alertRoutes = [
  listRepositoryAlerts,
  getAlert,
  updateAlert,
  listAlertInstances,
  listForOrganization,
];
