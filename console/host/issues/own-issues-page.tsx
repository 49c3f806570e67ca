// Issues or pull requests of all repositories that the person who is logged in has to do with.
import { useLocation } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { PageHead } from '../../ui/page.tsx';
import { StateFilter, stateIn } from './issue-filters.tsx';
import { useOwnIssues } from './issue-queries.ts';
import { IssueTable, LATEST } from './issue-table.tsx';
import { ISSUES } from './issue-words.ts';

const KINDS = ['assigned', 'created', 'mentioned', 'all'] as const;
type OwnKind = (typeof KINDS)[number];

/** At `/issues` and at `/pulls`. */
export default function OwnIssuesPage() {
  const [page] = useLocation();
  const arePulls = page.startsWith('/pulls');
  return <OwnList key={String(arePulls)} arePulls={arePulls} page={arePulls ? '/pulls' : '/issues'} />;
}

function OwnList({ arePulls, page }: { arePulls: boolean; page: string }) {
  const title = ISSUES[arePulls ? 'pulls' : 'issues'];
  usePageInfo([
    { label: ISSUES.code, href: '/code' },
    { label: title, href: page },
  ]);
  const search = useSearchState(page);
  const asked = search.get('filter');
  // Of pull requests one looks for those that one has opened.
  const usual: OwnKind = arePulls ? 'created' : 'assigned';
  const kind = KINDS.find((one) => one === asked) ?? usual;
  const state = stateIn(search);
  const list = useOwnIssues(arePulls, { filter: kind, state, sort: search.get('sort') ?? LATEST });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={title} />
      <div className="row row--wrap list-bar">
        <StateFilter search={search} />
        <Chips
          label={ISSUES.quick}
          items={KINDS.map((one) => ({
            label: ISSUES.quickOwn[one],
            isOn: one === kind,
            onToggle: () => search.set({ filter: one === usual ? undefined : one }),
          }))}
        />
      </div>
      <IssueTable
        list={list}
        arePulls={arePulls}
        search={search}
        isFiltered={state !== 'open'}
        onClear={() => search.set({ state: undefined })}
        empty={ISSUES.empty[arePulls ? 'ownPulls' : 'ownIssues']}
      />
    </main>
  );
}
