// The columns of every table, as Kysely types: the kernel's tables are here; each API adds its own by declaration merging.
import type { Kysely } from 'kysely';

export interface Tables {}

/** A database handle or an open transaction: the first parameter of every store function. */
export type Db = Kysely<Tables>;
