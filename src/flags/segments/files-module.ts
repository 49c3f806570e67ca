// Imports and exports of big segments as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { segmentFileMigrations } from '../migrations/segment-files.ts';
import { segmentExportRoutes } from './exports/routes.ts';
import { exportHandlers } from './exports/run-export.ts';
import { segmentImportRoutes } from './imports/routes.ts';
import { importHandlers } from './imports/run-import.ts';

export const segmentFileModule: Module = {
  tag: { name: 'Segment files', description: 'Files that go into big segments and come out of them' },
  routes: [...segmentImportRoutes, ...segmentExportRoutes],
  migrations: segmentFileMigrations,
  work: (kernel) => ({ handlers: { ...importHandlers(kernel), ...exportHandlers(kernel) } }),
};
