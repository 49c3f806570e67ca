// Imports and exports of big segments as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { segmentFileMigrations } from '../migrations/segment-files.ts';
import { segmentExportRoutes } from './exports/routes.ts';
import { exportHandlers } from './exports/run-export.ts';
import { segmentImportRoutes } from './imports/routes.ts';
import { importHandlers } from './imports/run-import.ts';

export const segmentFilePart: Part = {
  routes: [...segmentImportRoutes, ...segmentExportRoutes],
  migrations: segmentFileMigrations,
  work: (kernel) => ({ handlers: { ...importHandlers(kernel), ...exportHandlers(kernel) } }),
};
