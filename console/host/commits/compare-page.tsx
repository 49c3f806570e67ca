// Two branches, tags or commits: what one has and the other does not.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { DiffFiles } from '../diff/diff-files.tsx';
import { useDiffMode } from '../diff/use-diff-mode.ts';
import { RefPicker } from '../files/ref-picker.tsx';
import { compareHref, readComparison, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import { usePlace } from '../use-place.ts';
import { CommitList } from './commit-list.tsx';
import { useComparison, type Comparison } from './commits-queries.ts';
import { COMPARE_WORDS } from './commits-words.ts';
import { useDiffContext } from './diff-context.ts';

/** As many files as the API gives. */
const MAX_FILES = 300;

export default function ComparePage() {
  const place = usePlace();
  const sides = readComparison(place);
  // Read beside the repository, which the page waits for.
  const { base: named = '', head: other = '' } = sides;
  useComparison(place, named, other, named !== '' && other !== '' && named !== other);
  return (
    <RepositoryFrame place={place} tab="branches" crumbs={[{ label: COMPARE_WORDS.compare }]}>
      {({ default_branch: branch }) => {
        const base = sides.base ?? branch;
        return <Compare place={place} base={base} head={sides.head ?? base} defaultBranch={branch} />;
      }}
    </RepositoryFrame>
  );
}

interface CompareProps {
  place: RepositoryPlace;
  base: string;
  /** The same as the base while none is chosen. */
  head: string;
  defaultBranch: string;
}

function Compare({ place, base, head, defaultBranch }: CompareProps) {
  const isChosen = base !== head;
  const { data, error, refetch } = useComparison(place, base, head, isChosen);
  return (
    <div className="stack stack--16">
      <div className="row row--wrap">
        <RefPicker
          place={place}
          label={COMPARE_WORDS.base}
          current={base}
          defaultBranch={defaultBranch}
          hrefOf={(ref) => compareHref(place, ref, head)}
        />
        <RefPicker
          place={place}
          label={COMPARE_WORDS.head}
          current={head}
          defaultBranch={defaultBranch}
          hrefOf={(ref) => compareHref(place, base, ref)}
        />
        <ButtonLink icon="redo" href={compareHref(place, head, base)}>
          {COMPARE_WORDS.swap}
        </ButtonLink>
      </div>
      {!isChosen ? (
        <EmptyState icon="branch" title={COMPARE_WORDS.choose} text={COMPARE_WORDS.chooseText} />
      ) : data !== undefined ? (
        <ComparisonView place={place} base={base} head={head} comparison={data} />
      ) : error === null ? (
        <Skeleton rows={8} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

interface ComparisonViewProps {
  place: RepositoryPlace;
  base: string;
  head: string;
  comparison: Comparison;
}

function ComparisonView({ place, base, head, comparison }: ComparisonViewProps) {
  const [mode, setMode] = useDiffMode();
  const {
    status,
    ahead_by: ahead,
    behind_by: behind,
    commits,
    files = [],
    total_commits: total,
  } = comparison;
  // The oldest commit comes first, so the last of them all is where the head is.
  const tip = total > commits.length ? head : (commits.at(-1)?.sha ?? head);
  const context = useDiffContext(place, mode, comparison.merge_base_commit.sha, tip);
  if (status === 'identical')
    return <EmptyState icon="check" title={COMPARE_WORDS.same} text={COMPARE_WORDS.sameText(base, head)} />;
  if (status === 'behind')
    return (
      <EmptyState icon="check" title={COMPARE_WORDS.behind} text={COMPARE_WORDS.behindText(base, head)} />
    );
  return (
    <>
      <p className="t13 row row--wrap">
        <b>{COMPARE_WORDS.ahead(formatCount(ahead), ahead === 1)}</b>
        {behind > 0 && <span className="muted">{COMPARE_WORDS.behindBy(formatCount(behind))}</span>}
      </p>
      <CommitList place={place} commits={commits.toReversed()} />
      {total > commits.length && (
        <p className="muted t13">{COMPARE_WORDS.first(formatCount(commits.length))}</p>
      )}
      {files.length >= MAX_FILES && (
        <Banner tone="warn">{COMPARE_WORDS.filesCut(formatCount(files.length))}</Banner>
      )}
      <DiffFiles
        files={files}
        additions={sum(files, 'additions')}
        deletions={sum(files, 'deletions')}
        hasMore={files.length >= MAX_FILES}
        context={context}
        onMode={setMode}
      />
    </>
  );
}

function sum(files: NonNullable<Comparison['files']>, name: 'additions' | 'deletions'): number {
  return files.reduce((all, file) => all + file[name], 0);
}
