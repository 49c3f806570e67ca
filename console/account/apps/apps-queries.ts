// What the page of apps reads and changes.
import type { Call } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import type { AppInstallation, OwnApp } from '../../api/types/signalbox.ts';
import { LEVELS, PERMISSION_NAMES } from './apps-words.ts';

export const PAGE = '/account/apps';
const TOPICS = ['app'];

/** `account` is undefined for the caller's own. */
export function useInstallations(account: string | undefined) {
  return usePages<AppInstallation>({
    call: { api: 'signalbox', path: '/installations', query: { account } },
    topics: TOPICS,
  });
}

export function useOwnApps(account: string | undefined) {
  return usePages<OwnApp>({ call: { api: 'signalbox', path: '/apps', query: { account } }, topics: TOPICS });
}

interface OwnMembership {
  role: string;
  organization: { login: string };
}

/** Organizations that the caller administers. */
export function useManagedOrganizations(): string[] {
  const { data = [] } = useRead<OwnMembership[]>({
    call: { api: 'host', path: '/user/memberships/orgs', query: { per_page: 100 } },
    topics: ['org'],
  });
  return data.filter(({ role }) => role === 'admin').map(({ organization }) => organization.login);
}

export function suspensionCall({ id, suspendedAt }: AppInstallation): Call {
  const method = suspendedAt === undefined ? 'PUT' : 'DELETE';
  return { api: 'signalbox', method, path: `/installations/${id}/suspended` };
}

export function uninstallCall({ id }: AppInstallation): Call {
  return { api: 'signalbox', method: 'DELETE', path: `/installations/${id}` };
}

export function useChangeInstallation() {
  return useChange<Call>((call) => call, TOPICS);
}

/** `read and write issues`, what allows most first. */
export function rightsInWords(permissions: AppInstallation['permissions']): string[] {
  const order = Object.keys(LEVELS);
  return Object.entries(permissions)
    .toSorted(([a, one], [b, other]) => order.indexOf(other) - order.indexOf(one) || (a < b ? -1 : 1))
    .map(([name, level]) => `${LEVELS[level]} ${PERMISSION_NAMES[name] ?? name.replaceAll('_', ' ')}`);
}
