// What needs the caller's attention in all APIs, and figures of today.
import type { Module } from '../../kernel/http/module.ts';
import { attentionMigrations } from '../migrations/attention.ts';
import { attentionRoutes } from './routes.ts';
import { deletePastSnoozes } from './store.ts';

const DAY = 24 * 60 * 60 * 1000;

export const attentionModule: Module = {
  tag: { name: 'Attention', description: "What needs the caller's attention, and figures of today" },
  routes: attentionRoutes,
  migrations: attentionMigrations,
  work: ({ db, clock }) => ({
    recurring: [
      { kind: 'attention.sweep-snoozes', everyMs: DAY, run: () => deletePastSnoozes(db, clock.now()) },
    ],
  }),
};
