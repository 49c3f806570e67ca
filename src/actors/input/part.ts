// Inputs of Actors: schemas, defaults and secret fields.
import type { Part } from '../../kernel/part.ts';
import { inputMigrations } from '../migrations/input.ts';
import { handOverInputKeys } from './store.ts';

export const inputPart: Part = {
  migrations: inputMigrations,
  handOver: handOverInputKeys,
  close: ({ services }) => services.inputChecker.close(),
};
