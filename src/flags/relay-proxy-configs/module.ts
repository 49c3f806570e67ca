// Relay Proxy configurations as a module of the flags API, and which changes reach Relay Proxies.
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { Module } from '../../kernel/http/module.ts';
import { relayProxyConfigMigrations } from '../migrations/relay-proxy-configs.ts';
import { relayProxyConfigRoutes } from './routes.ts';
import { raiseRelayRevision, RELAY } from './store.ts';

export const relayProxyConfigModule: Module = {
  tag: {
    name: 'Relay Proxy configurations',
    description: 'Keys of Relay Proxies, and which environments each serves',
  },
  routes: relayProxyConfigRoutes,
  migrations: relayProxyConfigMigrations,
  subscribers: () => [relaySubscriber()],
  endStreams: ({ services }) => services.relayStreams.close(),
};

/** Projects, environments and configurations of Relay Proxies, but nothing in an environment. */
const CONCERNED = /^(?:proj\/[^:]+(?::env\/[^:]+)?|relay-proxy-config\/[^:]+)$/;

/** Raises a revision in the transaction of each change that Relay Proxies may have to hear of. */
function relaySubscriber(): Subscriber {
  return {
    channel: RELAY,
    statementsFor: (db, entries) =>
      entries.some(({ resource }) => CONCERNED.test(resource)) ? [raiseRelayRevision(db)] : [],
  };
}
