// The issues or the pull requests of a repository, by the filters that stand in the address.
import { useLocation, useParams } from 'wouter';
import { useSearchState } from '../../lib/search-state.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { CLEARED, filtersIn, IssueFilterBar, isFiltered } from './issue-filters.tsx';
import { useIssues } from './issue-queries.ts';
import { IssueTable } from './issue-table.tsx';
import { ISSUES } from './issue-words.ts';

export function IssueListPage({ arePulls }: { arePulls: boolean }) {
  const place = useParams<{ owner: string; repo: string }>();
  const kind = arePulls ? 'pulls' : 'issues';
  const page = `${repositoryHref(place)}/${kind}`;
  return (
    <RepositoryFrame place={place} tab={kind} crumbs={[{ label: ISSUES[kind], href: page }]}>
      {() => <List place={place} arePulls={arePulls} page={page} />}
    </RepositoryFrame>
  );
}

function List({ place, arePulls, page }: { place: RepositoryPlace; arePulls: boolean; page: string }) {
  const search = useSearchState(page);
  const [, navigate] = useLocation();
  useKeys({ c: () => navigate(`${page}/new`) });
  const list = useIssues(place, arePulls, filtersIn(search));
  const create = (
    <ButtonLink tone="primary" icon="plus" href={`${page}/new`} keys="c">
      {arePulls ? ISSUES.newPull : ISSUES.newIssue}
    </ButtonLink>
  );
  return (
    <>
      <div className="row row--wrap list-bar">
        <ButtonLink size="sm" icon="tag" href={`${repositoryHref(place)}/labels`}>
          {ISSUES.labels}
        </ButtonLink>
        <ButtonLink size="sm" icon="flag" href={`${repositoryHref(place)}/milestones`}>
          {ISSUES.milestones}
        </ButtonLink>
        <span className="push" />
        {create}
      </div>
      <IssueFilterBar place={place} search={search} />
      <IssueTable
        list={list}
        arePulls={arePulls}
        place={place}
        search={search}
        isFiltered={isFiltered(search)}
        onClear={() => search.set({ ...CLEARED, state: undefined })}
        empty={ISSUES.empty[arePulls ? 'pulls' : 'issues']}
        action={create}
      />
    </>
  );
}
