// The index of the search: what things are found by, and the log of changes that are not in it yet. ADR 0145.
import type { Migration } from '../../kernel/storage/migrate.ts';
import type { WatchedTable } from '../../kernel/storage/change-triggers.ts';

const LOG = 'search_changes';

/** A change of another column changes nothing that the index has. */
const WATCHED: readonly WatchedTable[] = [
  { source: 'project', table: 'projects', id: 'id', columns: ['key', 'name', 'tags'] },
  { source: 'environment', table: 'environments', id: 'id', columns: ['key', 'name', 'tags'] },
  { source: 'flag', table: 'flags', id: 'id', columns: ['key', 'name', 'tags'] },
  { source: 'segment', table: 'segments', id: 'id', columns: ['key', 'name', 'tags'] },
  { source: 'actor', table: 'actors', id: 'id', columns: ['name', 'title', 'user_id', 'is_public'] },
  { source: 'task', table: 'tasks', id: 'id', columns: ['name', 'title', 'user_id'] },
  { source: 'schedule', table: 'schedules', id: 'id', columns: ['name', 'title', 'user_id'] },
  {
    source: 'storage',
    table: 'storages',
    id: 'id',
    columns: ['name', 'title', 'user_id'],
    // Runs create others by the thousand, which have nothing to be found by but their ids.
    condition: 'row.name is not null',
  },
  {
    source: 'repository',
    table: 'repositories',
    id: 'number',
    columns: ['name', 'topics', 'owner_id', 'deleted_at'],
  },
  { source: 'issue', table: 'issues', id: 'id', columns: ['title', 'is_pull', 'repository_number'] },
  {
    source: 'gist',
    table: 'gists',
    id: 'id',
    columns: ['description', 'files', 'is_public', 'owner_id', 'head', 'deleted_at'],
  },
  {
    source: 'member',
    table: 'members',
    id: 'id',
    columns: ['username', 'email', 'first_name', 'last_name', 'removed_at'],
  },
  { source: 'team', table: 'teams', id: 'id', columns: ['key', 'name'] },
  { source: 'token', table: 'tokens', id: 'id', columns: ['name', 'ending', 'member_id'] },
];

export const searchMigrations: Migration[] = [
  {
    name: 'signalbox-search',
    up: ({ serial, text, search, watch }) => [
      `create table search_entries (
         number ${serial}, source ${text} not null, id ${text} not null, words ${text} not null,
         unique (source, id))`,
      ...search('search_entries', 'number', 'settled'),
      `create table ${LOG} (number ${serial}, source ${text} not null, id ${text} not null)`,
      ...WATCHED.flatMap((watched) => watch(LOG, watched)),
      // What is there already is indexed in the background, as if it had just been created.
      ...WATCHED.map(
        ({ source, table, id, condition }) =>
          `insert into ${LOG} (source, id) select '${source}', cast(${id} as text) from ${table}
             ${condition === undefined ? '' : `where ${condition.replaceAll('row.', '')}`}`,
      ),
    ],
  },
];
