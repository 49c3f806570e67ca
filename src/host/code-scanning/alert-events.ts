// Tells webhooks what became of alerts, in the transaction in which it happened.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvents, type EventTransaction } from '../events/record-event.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Repository } from '../repositories/repository.ts';
import type { ScanningAlert } from './alert.ts';
import { listAlertsByNumber } from './store-alerts.ts';
import type { AlertTransitions } from './store-applying.ts';
import type { SarifUpload } from './analysis.ts';

/** Of one analysis: receivers of thousands are better served by the list of alerts. The most severe come first. */
export const MAX_EVENTS = 1000;
const AT_ONCE = 100;

const ACTIONS = [
  ['created', 'created'],
  ['appeared', 'appeared_in_branch'],
  ['reopened', 'reopened'],
  ['fixed', 'fixed'],
] as const;

/** Returns how many events there are. */
export async function recordTransitions(
  tx: EventTransaction,
  repository: Repository,
  { ref, commitSha }: Pick<SarifUpload, 'ref' | 'commitSha'>,
  transitions: AlertTransitions,
  limit: number,
): Promise<number> {
  const owner = (await listOwners(tx.db, [repository.ownerId])).get(repository.ownerId);
  if (owner === undefined) return 0;
  let left = limit;
  for (const [kind, action] of ACTIONS) {
    const numbers = transitions[kind].slice(0, left);
    left -= numbers.length;
    for (const some of chunk(numbers, AT_ONCE)) {
      const alerts = await listAlertsByNumber(tx.db, repository.number, ref, some);
      const events = alerts.map((alert) => alertEvent(action, alert, { ref, commit: commitSha }));
      await recordEvents(tx, events, { found: { repository, owner } });
    }
  }
  return limit - left;
}

/** What a person did to an alert; it is about no ref. */
export async function recordUserAction(
  tx: EventTransaction,
  action: 'closed_by_user' | 'reopened_by_user',
  alert: ScanningAlert,
  dismissedBy: RepositoryOwner | null,
  found: FoundRepository,
): Promise<void> {
  const event = alertEvent(action, alert, { ref: '', commit: '' }, dismissedBy);
  await recordEvents(tx, [event], { found });
}

function alertEvent(
  action: string,
  alert: ScanningAlert,
  { ref, commit }: { ref: string; commit: string },
  dismissedBy: RepositoryOwner | null = null,
): HostEvent {
  const details = {
    alert,
    dismissedBy,
    ref,
    commit_oid: commit,
  } satisfies EventDetails['code_scanning_alert'];
  return { name: 'code_scanning_alert', action, details };
}
