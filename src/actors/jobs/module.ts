// Jobs: builds and runs that wait for a node, or are executed by one.
import type { Module } from '../../kernel/http/module.ts';
import { jobMigrations } from '../migrations/jobs.ts';
import { startExecution } from './start-execution.ts';

export const jobModule: Module = {
  migrations: jobMigrations,
  start: startExecution,
};
