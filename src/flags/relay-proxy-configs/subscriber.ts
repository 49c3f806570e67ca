// Raises a revision in the transaction of each change that Relay Proxies may have to hear of.
import type { Subscriber } from '../../kernel/change/changes.ts';
import { raiseRelayRevision } from './store.ts';

/** The channel on which nodes are notified of it. */
export const RELAY = 'flags-relay';

/** Projects, environments and configurations of Relay Proxies, but nothing in an environment. */
const CONCERNED = /^(?:proj\/[^:]+(?::env\/[^:]+)?|relay-proxy-config\/[^:]+)$/;

export function relaySubscriber(): Subscriber {
  return {
    channel: RELAY,
    statementsFor: (db, entries) =>
      entries.some(({ resource }) => CONCERNED.test(resource)) ? [raiseRelayRevision(db)] : [],
  };
}
