// The events of a changed repository: one for each kind of change that webhooks tell apart.
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { isDeepStrictEqual } from 'node:util';
import type { EventDetails, HostEvent } from '../../events/model.ts';
import { recordEvents } from '../../events/record-event.ts';
import type { FoundRepository } from '../access.ts';
import type { Repository } from '../repository.ts';

export async function recordChanges(
  tx: ChangeTransaction,
  before: Repository,
  found: FoundRepository,
): Promise<void> {
  await recordEvents(tx, eventsOf(before, found.repository), { found });
}

function eventsOf(before: Repository, after: Repository): HostEvent[] {
  const events: HostEvent[] = [];
  const add = (action: string, details: HostEvent['details'] = {}) =>
    events.push({ name: 'repository', action, details });
  if (after.name !== before.name)
    add('renamed', {
      changes: { repository: { name: { from: before.name } } },
    } satisfies EventDetails['repository.renamed']);
  const changes = editsOf(before, after);
  if (Object.keys(changes).length > 0) add('edited', { changes });
  if (after.isPrivate && !before.isPrivate) add('privatized');
  if (!after.isPrivate && before.isPrivate) {
    add('publicized');
    events.push({ name: 'public', details: {} });
  }
  if (after.isArchived !== before.isArchived) add(after.isArchived ? 'archived' : 'unarchived');
  return events;
}

function editsOf(before: Repository, after: Repository): EventDetails['repository.edited']['changes'] {
  return {
    ...(after.description !== before.description && { description: { from: before.description } }),
    ...(after.settings.homepage !== before.settings.homepage && {
      homepage: { from: before.settings.homepage },
    }),
    ...(after.defaultBranch !== before.defaultBranch && { default_branch: { from: before.defaultBranch } }),
    ...(!isDeepStrictEqual(after.topics, before.topics) && { topics: { from: before.topics } }),
  };
}
