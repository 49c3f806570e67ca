// The columns of every table, as Kysely types. The kernel's own stand here; each API adds its own by declaration merging.
import type { Kysely } from 'kysely';

// eslint-disable-next-line typescript/no-empty-object-type
export interface Tables {}

/** A database handle or an open transaction: what every store function takes first. */
export type Db = Kysely<Tables>;
