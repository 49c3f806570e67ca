// The tables of the store: what public Actors are found by.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    store_actors: StoreActorRow;
    store_categories: { category: string; actor_id: string };
  }
}

export interface StoreActorRow {
  /** A new one whenever the words change: the index knows a row by its number. */
  number: Generated<number>;
  actor_id: string;
  /** Of the name, the title, the description, the owner's username and the summary. */
  words: string;
  /** The beginning of the README of its default build. */
  summary: string | null;
}
