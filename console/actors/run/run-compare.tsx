// A run beside another one, the last good one by itself: input, options, build, counts, and what only one of the logs says.
import '../../styles/run-compare.css';
import type { ReactNode } from 'react';
import type { ComparedRun, RunComparison } from '../../api/types/signalbox.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { RunStatusView } from '../../lib/run-status.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Card } from '../../ui/card.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfRun, type RunDetail } from '../run.ts';
import { ChangesBetween } from './changes-between.tsx';
import { CommitsBetween } from './commits-between.tsx';
import { CountTable, DifferenceTable, OutputDifference } from './compare-tables.tsx';
import { OneSidedLines } from './compare-log.tsx';
import { useComparison } from './compare-queries.ts';
import { COMPARE_WORDS } from './compare-words.ts';

export function RunCompare({ run }: { run: RunDetail }) {
  const search = useSearchState(`${hrefOfRun(run.id)}/compare`);
  const [typed, setTyped] = useTypedFilter(search, 'with');
  const other = (search.get('with') ?? '').trim();
  const { data, error, isPlaceholderData, refetch } = useComparison(run.id, other);
  return (
    <div className="stack stack--16">
      <FilterInput
        value={typed}
        onChange={setTyped}
        label={COMPARE_WORDS.other}
        placeholder={COMPARE_WORDS.placeholder}
        hasSlashKey={false}
      />
      {error !== null ? (
        error.status === 404 ? (
          <EmptyState icon="history" title={COMPARE_WORDS.none} text={error.message} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : data === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <div className="stack stack--16" aria-busy={isPlaceholderData}>
          <ComparisonView comparison={data} actorId={run.actId} />
        </div>
      )}
    </div>
  );
}

function ComparisonView({ comparison, actorId }: { comparison: RunComparison; actorId: string }) {
  const { before, after, input, options, counts, output, log } = comparison;
  return (
    <>
      <div className="compare-ends">
        <EndView label={COMPARE_WORDS.before} run={before} isLink />
        <EndView label={COMPARE_WORDS.after} run={after} />
      </div>
      <CommitsBetween actorId={actorId} from={before.build.commit} to={after.build.commit} />
      <Section title={COMPARE_WORDS.counts}>
        <CountTable counts={counts} builds={[before.build.number, after.build.number]} />
      </Section>
      <Section title={COMPARE_WORDS.input}>
        {input.reason !== undefined ? (
          <Banner tone="neutral">{input.reason}</Banner>
        ) : input.isSame ? (
          <p className="muted t13">{COMPARE_WORDS.sameInput}</p>
        ) : (
          <DifferenceTable label={COMPARE_WORDS.input} rows={input.differences} total={input.total} />
        )}
      </Section>
      <Section title={COMPARE_WORDS.options}>
        {options.length === 0 ? (
          <p className="muted t13">{COMPARE_WORDS.sameOptions}</p>
        ) : (
          <DifferenceTable label={COMPARE_WORDS.options} rows={options} total={options.length} />
        )}
      </Section>
      <Section title={COMPARE_WORDS.output}>
        <OutputDifference output={output} />
      </Section>
      <ChangesBetween from={before.startedAt} to={after.startedAt} />
      <OneSidedLines
        title={COMPARE_WORDS.added}
        lines={log.added}
        total={log.addedTotal}
        href={hrefOfRun(after.id)}
      />
      <OneSidedLines
        title={COMPARE_WORDS.missing}
        lines={log.missing}
        total={log.missingTotal}
        href={hrefOfRun(before.id)}
      />
      {log.isPartial && <p className="muted t13">{COMPARE_WORDS.partialLog}</p>}
    </>
  );
}

function EndView({ label, run, isLink = false }: { label: string; run: ComparedRun; isLink?: boolean }) {
  const { id, status, statusMessage, startedAt, build } = run;
  const name: ReactNode = isLink ? (
    <TextLink href={hrefOfRun(id)} isMono>
      {id}
    </TextLink>
  ) : (
    <span className="mono">{id}</span>
  );
  return (
    <Card title={label}>
      <div className="stack stack--4 t13">
        <span className="row row--wrap">
          <RunStatusView status={status} /> {name}
        </span>
        {statusMessage !== null && <span className="break">{statusMessage}</span>}
        <span className="muted">
          <Time at={startedAt} mode="absolute" /> · {COMPARE_WORDS.build}{' '}
          <span className="mono">{build.number}</span>
          {build.commit !== undefined && (
            <>
              {' '}
              · {COMPARE_WORDS.commit} <span className="mono">{build.commit.slice(0, 7)}</span>
            </>
          )}
        </span>
      </div>
    </Card>
  );
}
