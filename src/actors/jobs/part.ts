// Jobs: builds and runs that wait for a node, or are executed by one.
import type { Part } from '../../kernel/module.ts';
import { jobMigrations } from '../migrations/jobs.ts';
import { startExecution } from './start-execution.ts';

export const jobPart: Part = {
  migrations: jobMigrations,
  start: startExecution,
};
