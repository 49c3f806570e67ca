// Relay Proxy configurations as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { relayProxyConfigMigrations } from '../migrations/relay-proxy-configs.ts';
import { relayProxyConfigRoutes } from './routes.ts';
import { relaySubscriber } from './subscriber.ts';

export const relayProxyConfigPart: Part = {
  tag: {
    name: 'Relay Proxy configurations',
    description: 'Keys of Relay Proxies, and which environments each serves',
  },
  routes: relayProxyConfigRoutes,
  migrations: relayProxyConfigMigrations,
  subscribers: () => [relaySubscriber()],
  endStreams: ({ services }) => services.relayStreams.close(),
};
