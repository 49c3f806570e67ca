// The delivery of flags to SDKs, as a part of the flags API: its tables, and what goes on without a call.
import type { Part } from '../../kernel/module.ts';
import { deliveryFeedMigrations } from '../migrations/delivery.ts';
import { deliverySubscriber } from './subscriber.ts';

export const deliveryPart: Part = {
  migrations: deliveryFeedMigrations,
  subscribers: () => [deliverySubscriber()],
  endStreams: ({ services }) => services.sdkStreams.close(),
  close: async ({ services }) => services.feeds.close(),
};
