// Code scanning: uploads of analyses, and the alerts that come of them.
import type { Module } from '../../kernel/http/module.ts';
import { codeScanningMigrations } from '../migrations/code-scanning.ts';
import { alertRoutes } from './alert-routes.ts';
import { analysisRoutes } from './analysis-routes.ts';
import { scanningHandlers } from './process-scanning.ts';
import { sarifBlobs } from './store-uploads.ts';
import { sarifUploadRoutes } from './upload-routes.ts';

export const codeScanningModule: Module = {
  tag: { name: 'code-scanning', description: 'What analyses found in the code' },
  routes: [...sarifUploadRoutes, ...analysisRoutes, ...alertRoutes],
  migrations: codeScanningMigrations,
  blobKinds: [sarifBlobs],
  work: (kernel) => ({ handlers: scanningHandlers(kernel) }),
  close: ({ services }) => services.sarif.close(),
};
