// Selects the hot statements of request queues for the engine in use.
import type { Engine } from '../../kernel/storage/engine.ts';
import { postgresStatements } from './store-postgres.ts';
import { sqliteStatements } from './store-sqlite.ts';
import type { QueueStatements } from './statements.ts';

export function statementsOf({ kind }: Engine): QueueStatements {
  return kind === 'sqlite' ? sqliteStatements : postgresStatements;
}
