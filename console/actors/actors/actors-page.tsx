// The Actors of the caller, those that ran last first.
import { useState } from 'react';
import { usePageInfo } from '../../app/page-info.ts';
import { useMay } from '../../app/me.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfActor, type ActorShort, type ListBody } from '../queries.ts';
import { ActorTitle } from '../run-cells.tsx';
import { ACTORS_WORDS } from './actors-words.ts';
import { CreateActorDialog } from './create-actor.tsx';
import { RunStrip } from './run-strip.tsx';

const PAGE = 25;
/** The names that the API sorts by. */
const SORTS: Readonly<Record<string, string>> = { created: 'createdAt', run: 'stats.lastRunStartedAt' };

const COLUMNS: TableColumn<ActorShort>[] = [
  { id: 'actor', head: ACTORS_WORDS.actor, isMain: true, cell: (actor) => <ActorTitle actor={actor} /> },
  {
    id: 'last',
    head: ACTORS_WORDS.lastRun,
    sort: 'run',
    cell: ({ stats }) =>
      stats.lastRunStartedAt === undefined ? (
        <span className="faint">{ACTORS_WORDS.never}</span>
      ) : (
        <Time at={stats.lastRunStartedAt} />
      ),
  },
  { id: 'strip', head: ACTORS_WORDS.lastRuns, cell: ({ id }) => <RunStrip actorId={id} /> },
  {
    id: 'runs',
    head: ACTORS_WORDS.runs,
    align: 'end',
    priority: 'mid',
    cell: ({ stats }) => formatCount(stats.totalRuns),
  },
  {
    id: 'builds',
    head: ACTORS_WORDS.builds,
    align: 'end',
    priority: 'low',
    cell: ({ stats }) => formatCount(stats.totalBuilds),
  },
  {
    id: 'modified',
    head: ACTORS_WORDS.modified,
    priority: 'low',
    cell: ({ modifiedAt }) => <Time at={modifiedAt} />,
  },
];

const idOf = ({ id }: ActorShort) => id;

function useActors(sort: string) {
  const name = sort.replace(/^-/, '');
  return useListPages<ListBody<ActorShort>, ActorShort>({
    call: {
      api: 'actors',
      path: '/actors',
      query: { my: true, desc: sort.startsWith('-'), sortBy: SORTS[name] ?? SORTS['run'] },
    },
    topics: ['actor', 'run'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}

export default function ActorsPage() {
  usePageInfo([{ label: ACTORS_WORDS.actors, href: '/actors' }]);
  const search = useSearchState('/actors');
  const sort = search.get('sort') ?? '-run';
  const list = useActors(sort);
  const [isCreating, setCreating] = useState(false);
  const [mayCreate] = useMay([{ action: 'createActor', resource: 'actor/*' }]) ?? [];
  useKeys({ c: () => setCreating(true) }, { isOn: mayCreate !== false });
  const createButton = mayCreate === true && (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
      {ACTORS_WORDS.create}
    </Button>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={ACTORS_WORDS.actors}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        actions={createButton}
      />
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={ACTORS_WORDS.table}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={idOf}
          rowHref={(actor) => hrefOfActor(actor)}
          sort={sort}
          onSort={(next) => search.set({ sort: next })}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            <EmptyState
              icon="actor"
              title={ACTORS_WORDS.empty.title}
              text={ACTORS_WORDS.empty.text}
              action={createButton}
            />
          }
          footer={<ListFoot list={list} nouns={ACTORS_WORDS.nouns} />}
        />
      )}
      {isCreating && <CreateActorDialog onClose={() => setCreating(false)} />}
    </main>
  );
}
