// Relay Proxy configurations as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { relayProxyConfigMigrations } from '../migrations/relay-proxy-configs.ts';
import { relayProxyConfigRoutes } from './routes.ts';
import { relaySubscriber } from './subscriber.ts';

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
