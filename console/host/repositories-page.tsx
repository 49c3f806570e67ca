// The repositories of the caller, and a new one.
import { usePageInfo } from '../app/page-info.ts';
import { prefetch } from '../api/read.ts';
import { fitsWords } from '../lib/fits-words.ts';
import { ListFoot, NoMatch } from '../lib/list-foot.tsx';
import { NewRows } from '../lib/new-rows.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../lib/search-state.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { FilterInput } from '../ui/input.tsx';
import { useKeys } from '../ui/keys.ts';
import { PageHead } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { CreateRepository } from './create-repository.tsx';
import { repositoryHref } from './place.ts';
import { repositoryRead, useRepositories } from './queries.ts';
import type { Repository } from './repository.ts';
import { inBatches, REPOSITORY_COLUMNS } from './repository-columns.tsx';
import { WORDS } from './words.ts';
import '../styles/lists.css';

const LATEST = '-updated';

const placeOf = ({ owner, name }: Repository) => ({ owner: owner.login, repo: name });
const hrefOf = (repository: Repository) => repositoryHref(placeOf(repository));

export default function RepositoriesPage() {
  usePageInfo([{ label: WORDS.code, href: '/code' }]);
  const search = useSearchState('/code');
  const [typed, setTyped] = useTypedFilter(search);
  const sort = search.get('sort') ?? LATEST;
  const words = search.get('q');
  const list = useRepositories(sort);
  const open = () => search.set({ new: '1' });
  useKeys({ c: open });
  // The API has no filter by text for this list.
  const rows = inBatches(list.rows).filter(({ full_name: name, description }) =>
    fitsWords(`${name} ${description ?? ''}`, words),
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.repositories}
        actions={
          <Button tone="primary" icon="plus" keys="c" onClick={open}>
            {WORDS.create}
          </Button>
        }
      />
      <div className="list-bar">
        <FilterInput value={typed} onChange={setTyped} label={WORDS.filter} placeholder={WORDS.placeholder} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={WORDS.repositories}
          columns={REPOSITORY_COLUMNS}
          rows={rows}
          rowKey={({ id }) => String(id)}
          rowHref={hrefOf}
          onPrefetch={(repository) => prefetch(repositoryRead(placeOf(repository)))}
          sort={sort}
          onSort={(next) => search.set({ sort: next === LATEST ? undefined : next })}
          isLoading={list.isLoading}
          emptyState={
            words === undefined ? (
              <EmptyState
                icon="code"
                title={WORDS.empty.title}
                text={WORDS.empty.text}
                action={<Button onClick={open}>{WORDS.create}</Button>}
              />
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
      {search.get('new') !== undefined && <CreateRepository onClose={() => search.set({ new: undefined })} />}
    </main>
  );
}
