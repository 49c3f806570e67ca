// Events of SDKs: their tables, and how long what they report is kept. Their routes are among those for SDKs.
import type { Module } from '../../kernel/http/module.ts';
import { flagEventMigrations } from '../migrations/flag-events.ts';
import { evaluationRetention, payloadRetention } from './retention.ts';

export const flagEventModule: Module = {
  migrations: flagEventMigrations,
  work: (kernel) => ({ recurring: [payloadRetention(kernel), evaluationRetention(kernel)] }),
  close: ({ services }) => services.flagEvents.buffer.close(),
};
