// The repositories of the caller. Nothing is written here.
import { usePageInfo } from '../app/page-info.ts';
import { prefetch } from '../api/read.ts';
import { ListFoot, NoMatch } from '../lib/list-foot.tsx';
import { NewRows } from '../lib/new-rows.tsx';
import { NextNote } from '../lib/next-note.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../lib/search-state.ts';
import { formatCount } from '../ui/format.ts';
import { FilterInput } from '../ui/input.tsx';
import { Count } from '../ui/numbers.tsx';
import { PageHead } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Table, type TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { repositoryRead, useRepositories } from './queries.ts';
import type { Repository } from './repository.ts';
import { Visibility } from './visibility.tsx';
import { WORDS } from './words.ts';

const LATEST = '-updated';

const COLUMNS: TableColumn<Repository>[] = [
  {
    id: 'name',
    head: WORDS.repository,
    isMain: true,
    sort: 'full_name',
    cell: ({ full_name: name, description }) => (
      <span className="two">
        <b className="cut">{name}</b>
        <small className="cut">{description ?? ''}</small>
      </span>
    ),
  },
  { id: 'visibility', head: WORDS.visibility, cell: (repository) => <Visibility repository={repository} /> },
  {
    id: 'language',
    head: WORDS.language,
    priority: 'mid',
    cell: ({ language }) => <span className="muted">{language ?? ''}</span>,
  },
  {
    id: 'issues',
    head: WORDS.issues,
    align: 'end',
    cell: ({ open_issues_count: count }) => <Count value={count} />,
  },
  {
    id: 'updated',
    head: WORDS.updated,
    sort: 'updated',
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

const hrefOf = ({ owner, name }: Repository) =>
  `/code/${encodeURIComponent(owner.login)}/${encodeURIComponent(name)}`;

export default function RepositoriesPage() {
  usePageInfo([{ label: WORDS.code, href: '/code' }]);
  const search = useSearchState('/code');
  const [typed, setTyped] = useTypedFilter(search);
  const sort = search.get('sort') ?? LATEST;
  const words = search.get('q');
  const list = useRepositories(sort);
  const rows = list.rows.filter((repository) => fits(repository, words));
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={WORDS.repositories} />
      <div className="list-bar">
        <FilterInput value={typed} onChange={setTyped} label={WORDS.filter} placeholder={WORDS.placeholder} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={WORDS.repositories}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => String(id)}
          rowHref={hrefOf}
          onPrefetch={({ owner, name }) => prefetch(repositoryRead(owner.login, name))}
          sort={sort}
          onSort={(next) => search.set({ sort: next === LATEST ? undefined : next })}
          isLoading={list.isLoading}
          emptyState={
            words === undefined ? (
              <EmptyState icon="code" title={WORDS.empty.title} text={WORDS.empty.text} />
            ) : (
              <NoMatch
                words={list.hasMore ? { ...WORDS.noMatch, clear: WORDS.noMatch.more } : WORDS.noMatch}
                onClear={list.hasMore ? list.readMore : () => setTyped('')}
              />
            )
          }
          footer={
            <>
              {words !== undefined && (
                <span>{WORDS.matching(formatCount(rows.length), formatCount(list.rows.length))}</span>
              )}
              <ListFoot list={list} nouns={WORDS.nouns} />
            </>
          }
        />
      )}
      <NextNote>{WORDS.listNext}</NextNote>
    </main>
  );
}

/** The API has no filter by text for this list. */
function fits({ full_name: name, description }: Repository, words: string | undefined): boolean {
  if (words === undefined) return true;
  const text = `${name} ${description ?? ''}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
