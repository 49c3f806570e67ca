// Inputs of Actors: schemas, defaults and secret fields.
import type { Module } from '../../kernel/http/module.ts';
import { inputMigrations } from '../migrations/input.ts';
import { inputRoutes } from './routes.ts';
import { transferInputKeys } from './store.ts';

export const inputModule: Module = {
  tag: { name: 'Inputs', description: 'Inputs of Actors, checked against their input schemas' },
  routes: inputRoutes,
  migrations: inputMigrations,
  sealedColumns: [{ table: 'input_keys', column: 'sealed_key', key: ['user_id', 'actor_id'] }],
  transferOwnership: transferInputKeys,
  close: ({ services }) => services.inputChecker.close(),
};
