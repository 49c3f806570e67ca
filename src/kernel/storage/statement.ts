// A statement that is put together and not yet sent: what files hand on that know nothing of SQL.
import type { CompiledQuery } from 'kysely';

export type SqlStatement<Row = unknown> = CompiledQuery<Row>;
