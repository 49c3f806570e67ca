// Datasets.
import type { Part } from '../../kernel/part.ts';
import { datasetMigrations } from '../migrations/datasets.ts';
import { datasetRoutes } from './routes.ts';

export const datasetPart: Part = {
  routes: datasetRoutes,
  migrations: datasetMigrations,
  demo: async () => (await import('../demo.ts')).demo,
};
