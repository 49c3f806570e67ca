// Which words to use with which engine.
import type { Engine } from '../../kernel/storage/engine.ts';
import { postgresStatements } from './postgres.ts';
import { sqliteStatements } from './sqlite.ts';
import type { QueueStatements } from './statements.ts';

export function statementsOf({ kind }: Engine): QueueStatements {
  return kind === 'sqlite' ? sqliteStatements : postgresStatements;
}
