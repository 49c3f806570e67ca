// Commits by the days on which they were made.
import { Link } from 'wouter';
import { Avatar } from '../../ui/avatar.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Time } from '../../ui/time.tsx';
import { commitHref, treeHref, type RepositoryPlace } from '../place.ts';
import { firstLine, shortSha, type Commit } from '../repository.ts';
import { COMMITS_WORDS } from './commits-words.ts';
import '../../styles/commits.css';

export interface CommitListProps {
  place: RepositoryPlace;
  commits: readonly Commit[];
  /** The list of one author's commits. */
  authorHref?: ((login: string) => string) | undefined;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });

export function CommitList({ place, commits, authorHref }: CommitListProps) {
  const days = Map.groupBy(commits, ({ commit }) =>
    commit.committer === null ? '' : DAY.format(new Date(commit.committer.date)),
  );
  return (
    <div className="stack stack--16">
      {[...days].map(([day, rows]) => (
        <Card key={day} title={day} isFlush>
          <ol className="commits">
            {rows.map((commit) => (
              <CommitRow key={commit.sha} place={place} commit={commit} authorHref={authorHref} />
            ))}
          </ol>
        </Card>
      ))}
    </div>
  );
}

function CommitRow({
  place,
  commit: { sha, commit, author },
  authorHref,
}: Omit<CommitListProps, 'commits'> & { commit: Commit }) {
  const name = author?.login ?? commit.author?.name ?? '';
  const short = shortSha(sha);
  return (
    <li>
      <Avatar name={name} isDecorative />
      <div className="grow commits__t">
        <Link href={commitHref(place, sha)} className="commits__m">
          {firstLine(commit.message)}
        </Link>
        <p className="muted t12">
          {author !== null && authorHref !== undefined ? (
            <Link
              href={authorHref(author.login)}
              className="ln--quiet"
              aria-label={COMMITS_WORDS.onlyBy(name)}
            >
              {name}
            </Link>
          ) : (
            name
          )}
          {commit.committer !== null && (
            <>
              {' · '}
              <Time at={commit.committer.date} />
            </>
          )}
        </p>
      </div>
      <Link className="mono t12 ln no-s" href={commitHref(place, sha)}>
        {short}
      </Link>
      <CopyButton text={sha} label={COMMITS_WORDS.copySha(short)} />
      <ButtonLink
        size="sm"
        tone="ghost"
        icon="code"
        href={treeHref(place, sha)}
        label={COMMITS_WORDS.browse}
      />
    </li>
  );
}
