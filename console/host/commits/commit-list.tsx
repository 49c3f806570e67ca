// Commits by the days on which they were made, with lines to their parents where these do not simply follow.
import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Avatar } from '../../ui/avatar.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { commitHref, treeHref, type RepositoryPlace } from '../place.ts';
import { firstLine, shortSha, type Commit } from '../repository.ts';
import { graphOf, widthOf, type GraphRow } from './commit-graph.ts';
import { CommitLines } from './commit-lines.tsx';
import { COMMITS_WORDS } from './commits-words.ts';
import '../../styles/commits.css';

export interface CommitListProps {
  place: RepositoryPlace;
  commits: readonly Commit[];
  /** The list of one author's commits. */
  authorHref?: ((login: string) => string) | undefined;
  /** The commits have their parents among them, but for the oldest. */
  hasGraph?: boolean | undefined;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });

export function CommitList({ place, commits, authorHref, hasGraph = false }: CommitListProps) {
  const graph = useMemo(() => (hasGraph ? graphOf(commits) : undefined), [commits, hasGraph]);
  const width = graph === undefined ? 0 : widthOf(graph);
  const rowOf = new Map(commits.map(({ sha }, index) => [sha, graph?.[index]]));
  const days = Map.groupBy(commits, ({ commit }) =>
    commit.committer === null ? '' : DAY.format(new Date(commit.committer.date)),
  );
  return (
    <div className="stack stack--16">
      {[...days].map(([day, rows]) => (
        <Card key={day} title={day} isFlush>
          <ol className="commits">
            {rows.map((commit) => (
              <CommitRow
                key={commit.sha}
                place={place}
                commit={commit}
                authorHref={authorHref}
                lines={linesOf(rowOf.get(commit.sha), width)}
              />
            ))}
          </ol>
        </Card>
      ))}
    </div>
  );
}

function linesOf(row: GraphRow | undefined, width: number): ReactNode {
  return row && <CommitLines row={row} width={width} />;
}

interface CommitRowProps extends Pick<CommitListProps, 'place' | 'authorHref'> {
  commit: Commit;
  lines: ReactNode;
}

function CommitRow({ place, commit: { sha, commit, author }, authorHref, lines }: CommitRowProps) {
  const name = author?.login ?? commit.author?.name ?? '';
  const short = shortSha(sha);
  return (
    <li>
      {lines}
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
      {commit.verification?.reason === 'unknown_key' && (
        <span className="no-s">
          <Badge icon="key">{COMMITS_WORDS.signedShort}</Badge>
        </span>
      )}
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
