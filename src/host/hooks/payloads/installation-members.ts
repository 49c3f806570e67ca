// What payloads say of an installation: a reference in those of other events, and everything in its own.
import type { InstallationInEvent } from '../../events/model.ts';
import { nodeId } from '../../node-id.ts';
import { isoSeconds } from '../../times.ts';
import { userInPayload, type PayloadObject } from './shared-members.ts';

export function installationInPayload(number: number): PayloadObject {
  return { id: number, node_id: nodeId('IntegrationInstallation', number) };
}

/** The members of the events `installation` and `installation_repositories`. */
export function installationMembers(
  name: string,
  action: string,
  details: InstallationInEvent,
  base: string,
): PayloadObject {
  const installation = wholeInstallation(details, base);
  const repositories = details.repositories.map(({ number, name: repository, isPrivate }) => ({
    id: number,
    node_id: nodeId('Repository', number),
    name: repository,
    full_name: `${details.account.login}/${repository}`,
    private: isPrivate,
  }));
  if (name === 'installation') return { installation, repositories };
  return {
    installation,
    repository_selection: details.installation.selection,
    repositories_added: action === 'added' ? repositories : [],
    repositories_removed: action === 'removed' ? repositories : [],
    requester: null,
  };
}

function wholeInstallation(
  { app, installation, account, suspendedBy }: InstallationInEvent,
  base: string,
): PayloadObject {
  const { number, suspendedAt } = installation;
  const page =
    account.type === 'Organization'
      ? `organizations/${account.login}/settings/installations`
      : 'settings/installations';
  return {
    id: number,
    account: userInPayload(account, base),
    repository_selection: installation.selection,
    access_tokens_url: `${base}/app/installations/${number}/access_tokens`,
    repositories_url: `${base}/installation/repositories`,
    html_url: `${new URL(base).origin}/${page}/${number}`,
    app_id: app.number,
    app_slug: app.slug,
    target_id: account.number,
    target_type: installation.targetType,
    permissions: installation.permissions,
    events: installation.events,
    created_at: isoSeconds(installation.createdAt),
    updated_at: isoSeconds(installation.updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedBy === null ? null : userInPayload(suspendedBy, base),
    suspended_at: suspendedAt === null ? null : isoSeconds(suspendedAt),
  };
}
