// Schedules.
import type { Part } from '../../kernel/module.ts';
import { scheduleMigrations } from '../migrations/schedules.ts';
import { scheduleWork } from './fire-schedule.ts';
import { scheduleRoutes } from './routes.ts';
import { handOverSchedules } from './store-transfers.ts';

export const schedulePart: Part = {
  tag: { name: 'Schedules', description: 'Start Actors and tasks at given times, by cron expressions' },
  routes: scheduleRoutes,
  migrations: scheduleMigrations,
  boundaryUsers: ['schedules'],
  handOver: handOverSchedules,
  work: scheduleWork,
};
