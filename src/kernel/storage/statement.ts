// A compiled SQL statement that is not yet sent, for code that passes statements on without building them.
import type { CompiledQuery } from 'kysely';

export type SqlStatement<Row = unknown> = CompiledQuery<Row>;
