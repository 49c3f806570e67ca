// Datasets.
import { datasetMigrations } from '../migrations/datasets.ts';
import type { StorageKindPart } from '../storages/module.ts';
import { datasetRoutes } from './routes.ts';
import { purgeDataset } from './store.ts';

export const datasetModule: StorageKindPart = {
  kind: 'dataset',
  tag: { name: 'Datasets', description: 'Lists of items that grow, and come out in seven formats' },
  routes: datasetRoutes,
  migrations: datasetMigrations,
  purge: ({ db }, id, signal) => purgeDataset(db, id, signal),
  async close({ services }) {
    await services.itemChecker.close();
    await services.exportWriter.close();
  },
  async *demo(kernel) {
    yield* (await import('../demo.ts')).actorsDemo(kernel);
  },
  async *removeDemo() {
    yield* (await import('../demo.ts')).removeActorsDemo();
  },
  async demoParts({ db }) {
    return await (await import('../demo.ts')).actorsDemoParts(db);
  },
};
