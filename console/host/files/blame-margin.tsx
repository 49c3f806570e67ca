// Beside the lines of a file: the commits that they come from, by blocks.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { Time } from '../../ui/time.tsx';
import { blobHref, commitHref, type RepositoryPlace } from '../place.ts';
import { shortSha } from '../repository.ts';
import { useBlame, type BlameBlock, type BlameCommit, type BlamedFile } from './blame-queries.ts';
import { BLAME } from './files-words.ts';
import '../../styles/blame.css';

export interface BlameMarginProps extends BlamedFile {
  /** The first line of the part, from one. */
  from: number;
  to: number;
}

export function BlameMargin({ from, to, ...file }: BlameMarginProps) {
  const { data, error, refetch } = useBlame(file, from);
  const commits = useMemo(() => new Map(data?.commits.map((commit) => [commit.sha, commit])), [data]);
  if (data === undefined)
    return (
      <div className="blame" aria-busy={error === null}>
        {error !== null && (
          <p className="blame__e">
            {error.message}{' '}
            <Button size="xs" onClick={() => void refetch()}>
              {BLAME.retry}
            </Button>
          </p>
        )}
      </div>
    );
  const blocks = data.blocks.filter((block) => block.to >= from && block.from <= to);
  return (
    <ol className="blame" aria-label={BLAME.label}>
      {blocks.map((block) => {
        const first = Math.max(block.from, from);
        const count = Math.min(block.to, to) - first + 1;
        return (
          <li key={block.from} style={cssVars({ n: count })}>
            <Block place={file} block={block} commit={commits.get(block.sha)} isTall={count > 1} />
          </li>
        );
      })}
    </ol>
  );
}

interface BlockProps {
  place: RepositoryPlace;
  block: BlameBlock;
  commit: BlameCommit | undefined;
  /** With a second line. */
  isTall: boolean;
}

function Block({ place, block, commit, isTall }: BlockProps) {
  const { sha, previous, originalFrom } = block;
  const name = commit?.author.login ?? commit?.author.name ?? '';
  const title = commit?.title ?? '';
  return (
    <>
      <span className="blame__l">
        <Avatar name={name} size={20} isDecorative={isTall} />
        <Link className="ln--quiet cut grow" href={commitHref(place, sha)}>
          {title === '' ? shortSha(sha) : title}
        </Link>
        {commit !== undefined && (
          <span className="muted nw">
            <Time at={commit.authoredAt} />
          </span>
        )}
        {previous !== undefined && (
          <ButtonLink
            tone="ghost"
            size="xs"
            icon="history"
            label={BLAME.before(shortSha(sha))}
            href={`${blobHref(place, previous.sha, previous.path)}?view=blame#L${originalFrom}`}
          />
        )}
      </span>
      {isTall && (
        <span className="blame__l blame__who muted">
          <span className="cut">{name}</span>
        </span>
      )}
    </>
  );
}
