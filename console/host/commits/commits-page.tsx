// The commits of a branch, a tag or a commit; of one file or folder, or by one author.
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import { RefPicker } from '../files/ref-picker.tsx';
import { commitsHref, compareHref, type CodePlace } from '../place.ts';
import { useCommits } from '../queries.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { usePlace } from '../use-place.ts';
import { CommitList } from './commit-list.tsx';
import { COMMITS_WORDS, COMPARE_WORDS } from './commits-words.ts';

export default function CommitsPage() {
  const place = usePlace();
  return (
    <RepositoryFrame place={place} tab="commits" crumbs={[{ label: COMMITS_WORDS.commits }]}>
      {(repository) => <Commits place={place} repository={repository} />}
    </RepositoryFrame>
  );
}

function Commits({ place, repository }: { place: CodePlace; repository: Repository }) {
  const { path } = place;
  const base = repository.default_branch;
  const ref = place.ref ?? base;
  const here = commitsHref(place, ref, path);
  const search = useSearchState(here);
  const author = search.get('author');
  const list = useCommits(place, { ref, path: path === '' ? undefined : path, author });
  const { error } = list;
  return (
    <div className="stack stack--16">
      <div className="row row--wrap">
        <RefPicker
          place={place}
          current={ref}
          defaultBranch={base}
          hrefOf={(other) => commitsHref(place, other, path)}
        />
        {path !== '' && (
          <span className="row row--4 row--wrap t13">
            {COMMITS_WORDS.of} <code className="key">{path}</code>
            <ButtonLink size="sm" tone="ghost" href={commitsHref(place, ref)}>
              {COMMITS_WORDS.all}
            </ButtonLink>
          </span>
        )}
        {author !== undefined && (
          <span className="row row--4 row--wrap t13">
            {COMMITS_WORDS.by} <b>{author}</b>
            <Button size="sm" tone="ghost" onClick={() => search.set({ author: undefined })}>
              {COMMITS_WORDS.all}
            </Button>
          </span>
        )}
        <span className="push" />
        <ButtonLink href={compareHref(place, base, ref === base ? '' : ref)}>
          {COMPARE_WORDS.compare}
        </ButtonLink>
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {error !== null ? (
        error.status === 409 ? (
          <p className="muted t13">{COMMITS_WORDS.empty}</p>
        ) : (
          <ReadProblem error={error} onRetry={list.retry} />
        )
      ) : list.rows.length > 0 ? (
        <>
          <CommitList
            place={place}
            commits={list.rows}
            authorHref={(login) => search.href({ author: login })}
            hasGraph={path === '' && author === undefined}
          />
          <div className="row row--wrap t13 muted">
            <ListFoot list={list} nouns={COMMITS_WORDS.nouns} />
          </div>
        </>
      ) : list.isLoading ? (
        <Skeleton rows={10} />
      ) : (
        <p className="muted t13">{COMMITS_WORDS.none}</p>
      )}
    </div>
  );
}
