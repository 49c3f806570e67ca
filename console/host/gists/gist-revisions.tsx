// The revisions of a gist, and what one of them has changed. The address names it.
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { DiffContext } from '../diff/diff-file.ts';
import { Counts } from '../diff/diff-file-card.tsx';
import { DiffFiles } from '../diff/diff-files.tsx';
import { useDiffMode } from '../diff/use-diff-mode.ts';
import { loginOf } from '../issues/issue.ts';
import { shortSha } from '../repository.ts';
import { gistHref, type GistRevision } from './gist.ts';
import { rawFileCall, useGistAt, useRevisions } from './gists-queries.ts';
import { REVISIONS } from './gists-words.ts';
import { compareRevisions } from './revision-diff.ts';

export function GistRevisions({ id }: { id: string }) {
  const { rows, error, hasMore, isReadingMore, readMore, retry } = useRevisions(id);
  const search = useSearchState(gistHref(id, '/revisions'));
  const wanted = search.get('revision');
  const index = wanted === undefined ? 0 : (rows?.findIndex(({ version }) => version === wanted) ?? -1);
  const shown = rows?.[index];
  const previous = rows?.[index + 1];
  // The one before it may be on the next page, and it itself on a later one.
  const isLooking = rows !== undefined && hasMore && (shown === undefined || previous === undefined);
  useEffect(() => {
    if (isLooking && !isReadingMore) readMore();
  }, [isLooking, isReadingMore, readMore]);
  if (rows === undefined)
    return error === null ? <Skeleton lines={8} /> : <ReadProblem error={error} onRetry={retry} />;
  return (
    <div className="cols cols--files">
      <Card title={REVISIONS.list} isFlush>
        <ol className="revs" aria-label={REVISIONS.list}>
          {rows.map((revision, at) => (
            <RevisionRow
              key={revision.version}
              revision={revision}
              isCurrent={at === index}
              mark={
                at === 0 ? REVISIONS.newest : at === rows.length - 1 && !hasMore ? REVISIONS.first : undefined
              }
              href={search.href({ revision: revision.version })}
            />
          ))}
        </ol>
        {hasMore && (
          <p className="card__b">
            <Button size="sm" isBusy={isReadingMore} onClick={readMore}>
              {REVISIONS.more}
            </Button>
          </p>
        )}
      </Card>
      {shown === undefined ? (
        isLooking ? (
          <Skeleton lines={8} />
        ) : (
          <EmptyState icon="history" title={REVISIONS.unknown} text={REVISIONS.unknownText} />
        )
      ) : isLooking ? (
        <Skeleton lines={8} />
      ) : (
        <RevisionDiff key={shown.version} id={id} revision={shown} previous={previous?.version} />
      )}
    </div>
  );
}

interface RevisionRowProps {
  revision: GistRevision;
  isCurrent: boolean;
  mark: string | undefined;
  href: string;
}

function RevisionRow({ revision, isCurrent, mark, href }: RevisionRowProps) {
  const { version, user, change_status: change, committed_at: at } = revision;
  return (
    <li className="revs__r" data-current={isCurrent || undefined}>
      <Link className="revs__a" href={href} aria-current={isCurrent ? 'true' : undefined}>
        <code className="key">{shortSha(version)}</code>
        {mark !== undefined && <Badge>{mark}</Badge>}
        <span className="push" />
        <Counts file={change} />
      </Link>
      <span className="t12 muted">
        {loginOf(user)}, <Time at={at} />
      </span>
    </li>
  );
}

interface RevisionDiffProps {
  id: string;
  revision: GistRevision;
  /** Undefined for the first. */
  previous: string | undefined;
}

function RevisionDiff({ id, revision, previous }: RevisionDiffProps) {
  const { version } = revision;
  const after = useGistAt(id, version);
  const before = useGistAt(id, previous);
  const [mode, setMode] = useDiffMode();
  const isReady = after.data !== undefined && (previous === undefined || before.data !== undefined);
  const files = useMemo(
    () =>
      isReady ? compareRevisions(previous === undefined ? undefined : before.data, after.data) : undefined,
    [isReady, previous, before.data, after.data],
  );
  const error = after.error ?? before.error;
  if (files === undefined)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem
        error={error}
        onRetry={() => {
          void after.refetch();
          if (previous !== undefined) void before.refetch();
        }}
      />
    );
  const context: DiffContext = {
    mode,
    bytesOf({ filename, previous_filename: old = filename }, side) {
      const file = side === 'RIGHT' ? after.data?.files[filename] : before.data?.files[old];
      return file && rawFileCall(id, file);
    },
  };
  const { additions, deletions } = revision.change_status;
  return (
    <div className="stack stack--16">
      <p className="row row--wrap t13">
        {REVISIONS.of(shortSha(version))}
        <Key copyLabel={REVISIONS.copySha(shortSha(version))}>{version}</Key>
      </p>
      <DiffFiles
        files={files}
        additions={additions}
        deletions={deletions}
        context={context}
        onMode={setMode}
      />
    </div>
  );
}
