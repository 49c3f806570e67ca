// Backups that the server makes itself, for administrators.
import { backupRunMigrations } from '../../kernel/backup/backup-run-store.ts';
import type { Module } from '../../kernel/http/module.ts';
import { backupRoutes } from './routes.ts';
import { backupWork } from './work.ts';

export const backupModule: Module = {
  tag: { name: 'Backups', description: 'Backups of this server, for administrators' },
  routes: backupRoutes,
  migrations: backupRunMigrations,
  work: backupWork,
  close: ({ services }) => services.backups.close(),
};
