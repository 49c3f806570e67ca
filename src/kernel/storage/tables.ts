// The columns of every table, as Kysely types. The kernel's own stand here; each API adds its own by declaration merging.
import type { Kysely } from 'kysely';

export interface Tables {}

/** A database handle or an open transaction: what every store function takes first. */
export type Db = Kysely<Tables>;
