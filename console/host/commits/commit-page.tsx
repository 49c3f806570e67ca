// One commit: what it says, who made it, and what it changes.
import { Link } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { DiffFiles } from '../diff/diff-files.tsx';
import { useDiffMode } from '../diff/use-diff-mode.ts';
import { commitHref, treeHref, type CodePlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { firstLine, otherLines, shortSha, type Commit } from '../repository.ts';
import { usePlace } from '../use-place.ts';
import { useCommit, type CommitDetail } from './commits-queries.ts';
import { COMMITS_WORDS } from './commits-words.ts';
import { useDiffContext } from './diff-context.ts';
import '../../styles/commits.css';

export default function CommitPage() {
  const place = usePlace();
  const { ref = '' } = place;
  return (
    <RepositoryFrame place={place} tab="commits" crumbs={[{ label: shortSha(ref), copy: ref }]}>
      {() => <CommitView key={ref} place={place} sha={ref} />}
    </RepositoryFrame>
  );
}

function CommitView({ place, sha }: { place: CodePlace; sha: string }) {
  const { commit, files, error, retry, hasMore, isReadingMore, readMore } = useCommit(place, sha);
  const [mode, setMode] = useDiffMode();
  const context = useDiffContext(place, mode, commit?.parents[0]?.sha, commit?.sha ?? sha);
  if (commit === undefined)
    return error === null ? <Skeleton lines={8} /> : <ReadProblem error={error} onRetry={retry} />;
  const { additions, deletions } = commit.stats;
  return (
    <div className="stack stack--16">
      <CommitHead place={place} commit={commit} />
      <DiffFiles
        files={files}
        additions={additions}
        deletions={deletions}
        hasMore={hasMore}
        context={context}
        onMode={setMode}
      />
      {hasMore && (
        <Button isBusy={isReadingMore} onClick={readMore}>
          {COMMITS_WORDS.moreFiles}
        </Button>
      )}
    </div>
  );
}

function CommitHead({ place, commit }: { place: CodePlace; commit: CommitDetail }) {
  const { sha, parents } = commit;
  const { message, verification } = commit.commit;
  const body = otherLines(message);
  return (
    <Card
      title={<span className="commit__t">{firstLine(message)}</span>}
      actions={
        <ButtonLink size="sm" icon="code" href={treeHref(place, sha)}>
          {COMMITS_WORDS.browse}
        </ButtonLink>
      }
    >
      <div className="stack stack--8">
        {body !== '' && <pre className="commit__b">{body}</pre>}
        <p className="row row--wrap t13">
          <People commit={commit} />
          <span className="push" />
          {verification?.reason === 'unknown_key' && <Badge icon="key">{COMMITS_WORDS.signed}</Badge>}
          <Key copyLabel={COMMITS_WORDS.copySha(shortSha(sha))}>{sha}</Key>
        </p>
        <p className="row row--4 row--wrap t13 muted">
          {parents.length === 0 ? COMMITS_WORDS.noParent : COMMITS_WORDS.parents(parents.length)}
          {parents.map((parent) => (
            <Link key={parent.sha} className="mono t12 ln" href={commitHref(place, parent.sha)}>
              {shortSha(parent.sha)}
            </Link>
          ))}
        </p>
        {parents.length > 1 && <Banner tone="neutral">{COMMITS_WORDS.merge}</Banner>}
      </div>
    </Card>
  );
}

/** Who wrote it, and who committed it where that is somebody else. */
function People({ commit: { author, committer, commit } }: { commit: Commit }) {
  const writer = author?.login ?? commit.author?.name ?? '';
  const other = committer?.login ?? commit.committer?.name ?? '';
  return (
    <>
      <Avatar name={writer} isDecorative />
      <b>{writer}</b>
      <span className="muted">
        {COMMITS_WORDS.authored} {commit.author !== null && <Time at={commit.author.date} />}
      </span>
      {other !== '' && other !== writer && (
        <span className="row row--4">
          <span className="muted">{COMMITS_WORDS.and}</span> <b>{other}</b>
          <span className="muted">{COMMITS_WORDS.committed}</span>
        </span>
      )}
    </>
  );
}
