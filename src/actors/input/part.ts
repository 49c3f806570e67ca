// Inputs of Actors: schemas, defaults and secret fields.
import type { Part } from '../../kernel/module.ts';
import { inputMigrations } from '../migrations/input.ts';
import { inputRoutes } from './routes.ts';
import { handOverInputKeys } from './store.ts';

export const inputPart: Part = {
  tag: { name: 'Inputs', description: 'Inputs of Actors, checked against their input schemas' },
  routes: inputRoutes,
  migrations: inputMigrations,
  handOver: handOverInputKeys,
  close: ({ services }) => services.inputChecker.close(),
};
