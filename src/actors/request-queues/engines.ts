// Which words to use with which engine.
import type { Engine } from '../../kernel/storage/engine.ts';
import { postgresStatements } from './store-postgres.ts';
import { sqliteStatements } from './store-sqlite.ts';
import type { QueueStatements } from './statements.ts';

export function statementsOf({ kind }: Engine): QueueStatements {
  return kind === 'sqlite' ? sqliteStatements : postgresStatements;
}
