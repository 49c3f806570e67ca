// The delivery of flags to SDKs, as a module of the flags API: its tables, and what goes on without a call.
import type { Module } from '../../kernel/http/module.ts';
import { deliveryFeedMigrations } from '../migrations/delivery.ts';
import { deliverySubscriber } from './subscriber.ts';

export const deliveryModule: Module = {
  migrations: deliveryFeedMigrations,
  subscribers: () => [deliverySubscriber()],
  endStreams: ({ services }) => services.sdkStreams.close(),
  close: async ({ services }) => services.feeds.close(),
};
