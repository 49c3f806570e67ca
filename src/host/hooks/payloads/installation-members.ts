// What payloads say of an installation: a reference in those of other events, and everything in its own.
import { toInstallation } from '../../apps/model.ts';
import type { InstallationInEvent } from '../../events/model.ts';
import { nodeId } from '../../node-id.ts';
import type { PayloadObject } from './shared-members.ts';

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
  const { app, account, suspendedBy } = details;
  const shown = toInstallation(details.installation, { app, account, suspendedBy }, base);
  // Receivers know fewer members than callers.
  const { node_id: _node, client_id: _client, ...installation } = shown;
  const repositories = details.repositories.map(({ number, name: repository, isPrivate }) => ({
    id: number,
    node_id: nodeId('Repository', number),
    name: repository,
    full_name: `${account.login}/${repository}`,
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
