// The alerts of all repositories of an organization.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { installationOf } from '../apps/program.ts';
import { openOrganization, type OrganizationCall } from '../organizations/access.ts';
import { OrganizationParams } from '../organizations/organization-params.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { repositoryResource } from '../repositories/access.ts';
import { VIEW_SCANNING } from './access.ts';
import { AlertListQuery, readAlertPage } from './alert-list.ts';
import { OrganizationAlertReply } from './model.ts';
import { showOrganizationAlerts } from './show-alerts.ts';
import { listOrganizationAlerts } from './store-organization-alerts.ts';

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
    const owner = { organizationId: organization.id, ...(reach && { reach }) };
    return await readAlertPage(
      call,
      (...how) => listOrganizationAlerts(db, owner, ...how),
      (alerts) =>
        showOrganizationAlerts(
          db,
          ownerOfOrganization(organization),
          alerts,
          (found) => call.can(repositoryResource(found)),
          call.base,
        ),
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

export const organizationAlertRoutes = [listForOrganization];
