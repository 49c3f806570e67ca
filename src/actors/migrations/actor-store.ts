// The tables of the store: what public Actors are found by.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const actorStoreMigrations: Migration[] = [
  {
    name: 'actors-store',
    up: ({ serial, text, search }) => [
      `create table store_actors (
         number ${serial}, actor_id ${text} not null unique references actors (id) on delete cascade,
         words ${text} not null, summary ${text})`,
      ...search('store_actors', 'number'),
      `create table store_categories (
         category ${text} not null, actor_id ${text} not null references actors (id) on delete cascade,
         primary key (category, actor_id))`,
      `create index store_categories_actor on store_categories (actor_id)`,
      `create index actors_popular on actors (total_runs, id) where is_public = 1`,
      `create index actors_newest on actors (created_at, id) where is_public = 1`,
      `create index actors_updated on actors (modified_at, id) where is_public = 1`,
      // Actors that are public already are found by their names, and by everything else after their next change.
      `insert into store_actors (actor_id, words) select id, lower(replace(name, '-', ' ')) from actors where is_public = 1`,
    ],
  },
];
