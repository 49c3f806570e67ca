// Datasets.
import type { Part } from '../../kernel/part.ts';
import { datasetMigrations } from '../migrations/datasets.ts';
import { datasetRoutes } from './routes.ts';

export const datasetPart: Part = {
  tag: { name: 'Datasets', description: 'Lists of items that grow, and come out in seven formats' },
  routes: datasetRoutes,
  migrations: datasetMigrations,
  demo: async () => (await import('../demo.ts')).demo,
};
