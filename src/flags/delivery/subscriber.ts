// Raises the revisions of environments in the transaction of each change that SDKs may have to hear of.
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import { raiseRevisions, upsertItem, type ChangedItem } from './store-revisions.ts';

/** The channel on which nodes are notified of new revisions. */
export const DELIVERY = 'flags-delivery';

export function deliverySubscriber(): Subscriber {
  return {
    channel: DELIVERY,
    statementsFor(db, entries) {
      const items = new Map(entries.flatMap(itemsOf).map((item) => [Object.values(item).join('\n'), item]));
      const scopes = new Map(
        [...items.values()].map(({ projectKey, environmentKey }) => [
          `${projectKey}\n${environmentKey ?? ''}`,
          { projectKey, environmentKey },
        ]),
      );
      return [
        ...[...scopes.values()].map(({ projectKey, environmentKey }) =>
          raiseRevisions(db, projectKey, environmentKey),
        ),
        ...[...items.values()].map((item) => upsertItem(db, item)),
      ];
    },
  };
}

const RESOURCE = /^proj\/([^:]+)(?::env\/([^:]+)(?::(flag|segment)\/([^:]+))?)?$/;

/**
 * The version of a flag is the same in all environments, and rises in all of them when it changes in one. A new environment
 * raises the versions of all flags, too.
 */
function itemsOf({ resource }: AuditEntry): ChangedItem[] {
  const [, projectKey, environmentKey, kind, key = ''] = RESOURCE.exec(resource) ?? [];
  if (projectKey === undefined) return [];
  if (kind === 'segment') return [{ projectKey, environmentKey, kind, key }];
  if (kind === 'flag') return [{ projectKey, environmentKey: undefined, kind, key }];
  return [{ projectKey, environmentKey: undefined, kind: 'environment', key: '' }];
}
