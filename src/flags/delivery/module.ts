// The delivery of flags to SDKs, as a module of the flags API: its tables, and how each change raises the revisions of environments.
import type { Module } from '../../kernel/http/module.ts';
import { deliveryFeedMigrations } from '../migrations/delivery.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import { DELIVERY, raiseRevisions, upsertItem, type ChangedItem } from './store-revisions.ts';

export const deliveryModule: Module = {
  migrations: deliveryFeedMigrations,
  subscribers: () => [deliverySubscriber()],
  endStreams: ({ services }) => services.sdkStreams.close(),
  close: async ({ services }) => services.feeds.close(),
};

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
