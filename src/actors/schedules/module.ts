// Schedules.
import type { Module } from '../../kernel/http/module.ts';
import { scheduleMigrations } from '../migrations/schedules.ts';
import { scheduleWork } from './fire-schedule.ts';
import { scheduleRoutes } from './routes.ts';
import { transferSchedules } from './store-transfers.ts';

export const scheduleModule: Module = {
  tag: { name: 'Schedules', description: 'Start Actors and tasks at given times, by cron expressions' },
  routes: scheduleRoutes,
  migrations: scheduleMigrations,
  sealedColumns: [{ table: 'schedule_actions', column: 'input', key: ['id'] }],
  boundaryUsers: ['schedules'],
  transferOwnership: transferSchedules,
  work: scheduleWork,
};
