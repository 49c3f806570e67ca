// The code-scanning alerts of all repositories that the caller may write to.
import { VIEW_SCANNING } from '../../host/code-scanning/access.ts';
import { ALERT_STATES, type ScanningAlert } from '../../host/code-scanning/alert.ts';
import { AlertListQuery, alertCursorOf, parseAlertCursor } from '../../host/code-scanning/alert-list.ts';
import { SECURITY_SEVERITIES, SEVERITIES } from '../../host/code-scanning/sarif/sarif-rule.ts';
import { listScannedOwners, MAX_GRANTED } from '../../host/code-scanning/scanned-owners.ts';
import { listAlertsOfOwners } from '../../host/code-scanning/store-organization-alerts.ts';
import { includesRole, repositoryResource } from '../../host/repositories/repository.ts';
import { showRepositories } from '../../host/repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../../host/repositories/store.ts';
import { userResource } from '../../host/users/access.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

const ScannedAlert = Type.Object(
  {
    repository: Type.Object({ owner: Type.String(), name: Type.String() }),
    number: Type.Integer({ description: 'In its repository' }),
    state: OneOf(ALERT_STATES),
    rule: Type.Object({ id: Type.String(), description: Type.String() }),
    severity: OneOf([...SECURITY_SEVERITIES, ...SEVERITIES], {
      description: 'What is known about the danger, or else what the tool calls it',
    }),
    tool: Type.String(),
    path: Type.Optional(Type.String({ description: 'Absent where it is in no file' })),
    line: Type.Optional(Type.Integer()),
    createdAt: Type.Integer({ description: 'In epoch milliseconds' }),
  },
  { $id: 'ScannedAlert' },
);

const listScannedAlerts = route(
  {
    id: 'listScannedAlerts',
    method: 'GET',
    path: '/code-scanning/alerts',
    summary: 'List the code-scanning alerts of all your repositories, the newest first',
    description:
      'Those on the default branches of repositories that you own or may write to, and of your organizations. Of repositories of ' +
      `others, the first ${MAX_GRANTED} that you have a role on are looked at. A page may have fewer than its limit, though there are more.`,
    access: { action: VIEW_SCANNING.action },
    query: Type.Object({
      state: Type.Optional(OneOf(ALERT_STATES)),
      severity: AlertListQuery.severity,
      tool: Type.Optional(PlainText({ maxLength: 200 })),
      limit: Type.Optional(
        Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(PlainText({ maxLength: 200, description: '`next` of the page before' })),
    }),
    list: ScannedAlert,
  },
  async (call, { db }) => {
    const { caller, query } = call;
    // A policy may name single repositories: each is asked about below.
    call.can(userResource(accountOf(caller)));
    const after = query.cursor === undefined ? undefined : parseAlertCursor(query.cursor);
    if (query.cursor !== undefined && after === undefined)
      throw problem('query.cursor', 'is not the `next` of a page');
    const limit = clampLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT);
    const { state, severity, tool } = query;
    const found = await listAlertsOfOwners(
      db,
      await listScannedOwners(db, caller),
      {
        ...(state !== undefined && { states: [state] }),
        ...(severity !== undefined && { severity }),
        ...(tool !== undefined && { toolName: tool }),
      },
      { sort: 'created', desc: true },
      { offset: 0, limit: limit + 1 },
      after,
    );
    const alerts = found.slice(0, limit);
    const numbers = [...new Set(alerts.map(({ repositoryNumber }) => repositoryNumber))];
    const repositories = await listRepositoriesByNumber(db, numbers);
    const shown = (await showRepositories(db, caller, [...repositories.values()])).filter(
      (one) => includesRole(one.role, 'write') && call.can(repositoryResource(one)),
    );
    const byNumber = new Map(
      shown.map(({ repository, owner }) => [
        repository.number,
        { owner: owner.login, name: repository.name },
      ]),
    );
    const last = found.length > limit ? alerts.at(-1) : undefined;
    return cursorPage(
      alerts.flatMap((alert) => {
        const repository = byNumber.get(alert.repositoryNumber);
        return repository === undefined ? [] : [toScannedAlert(alert, repository)];
      }),
      last && alertCursorOf(last, 'created'),
    );
  },
);

function toScannedAlert(
  alert: ScanningAlert,
  repository: { owner: string; name: string },
): Static<typeof ScannedAlert> {
  const { number, state, ruleId, rule, severity, securitySeverity, toolName, instance, createdAt } = alert;
  const { path, start_line: line } = instance.details.location;
  return {
    repository,
    number,
    state,
    rule: { id: ruleId, description: rule.description },
    severity: securitySeverity ?? severity,
    tool: toolName,
    ...(path !== '' && { path, line }),
    createdAt,
  };
}

export const scannedAlertRoutes = [listScannedAlerts];
