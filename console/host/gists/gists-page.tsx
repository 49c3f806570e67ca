// Gists: the caller's own, those with their star, and everybody's public ones.
import { useLocation } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { fitsWords } from '../../lib/fits-words.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { loginOf } from '../issues/issue.ts';
import { filesOf, type Gist } from './gist.ts';
import { GistTable } from './gist-table.tsx';
import { GIST_LISTS, useGists } from './gists-queries.ts';
import { GISTS } from './gists-words.ts';
import '../../styles/lists.css';

const PAGE = '/gists';
const NEW = '/gists/new';

export default function GistsPage() {
  usePageInfo([{ label: GISTS.title }]);
  const search = useSearchState(PAGE);
  const [, navigate] = useLocation();
  useKeys({ c: () => navigate(NEW) });
  const shown = GIST_LISTS.find((one) => one === search.get('list')) ?? 'own';
  const create = (
    <ButtonLink tone="primary" icon="plus" keys="c" href={NEW}>
      {GISTS.create}
    </ButtonLink>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={GISTS.title} meta={GISTS.text} actions={create} />
      <Tabs
        label={GISTS.listsLabel}
        items={GIST_LISTS.map((list) => ({
          href: list === 'own' ? PAGE : `${PAGE}?list=${list}`,
          label: GISTS.lists[list],
          isCurrent: list === shown,
        }))}
      />
      <GistRows key={shown} list={shown} />
    </main>
  );
}

function GistRows({ list: shown }: { list: (typeof GIST_LISTS)[number] }) {
  const search = useSearchState(PAGE);
  const [typed, setTyped] = useTypedFilter(search);
  const words = search.get('q');
  const list = useGists(shown);
  // The API has no filter by text for these lists.
  const rows = list.rows.filter((gist) => fitsWords(textOf(gist), words));
  return (
    <>
      <div className="list-bar">
        <FilterInput value={typed} onChange={setTyped} label={GISTS.filter} placeholder={GISTS.placeholder} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <GistTable
          label={GISTS.lists[shown]}
          rows={rows}
          hasOwner={shown !== 'own'}
          isLoading={list.isLoading}
          emptyState={
            words === undefined ? (
              <EmptyState
                icon="code"
                title={GISTS.empty[shown].title}
                text={GISTS.empty[shown].text}
                action={shown === 'own' ? <ButtonLink href={NEW}>{GISTS.create}</ButtonLink> : undefined}
              />
            ) : (
              <NoMatch
                words={list.hasMore ? { ...GISTS.noMatch, clear: GISTS.noMatch.more } : GISTS.noMatch}
                onClear={list.hasMore ? list.readMore : () => setTyped('')}
              />
            )
          }
          footer={
            <>
              {words !== undefined && (
                <span>{GISTS.matching(formatCount(rows.length), formatCount(list.rows.length))}</span>
              )}
              <ListFoot list={list} nouns={GISTS.nouns} />
            </>
          }
        />
      )}
    </>
  );
}

function textOf(gist: Gist): string {
  const names = filesOf(gist).map(({ filename }) => filename);
  return [...names, gist.description ?? '', loginOf(gist.owner)].join(' ');
}
