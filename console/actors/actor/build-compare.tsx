// The log of a build beside that of the last good one of its version.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { OneSidedLines } from '../run/compare-log.tsx';
import { COMPARE_WORDS } from '../run/compare-words.ts';
import { useBuildComparison, type ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { hrefOfBuild } from './builds-tab.tsx';
import { ComparedWith } from './compared-with.tsx';

export function BuildCompare({ actor, id }: { actor: ActorDetail; id: string }) {
  const { data, error, refetch } = useBuildComparison(id);
  if (data === undefined) {
    if (error?.status === 404)
      return <EmptyState icon="actor" title={ACTOR_WORDS.noGoodBuild} text={error.message} />;
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={6} />;
  }
  const { before, log } = data;
  return (
    <>
      <ComparedWith actor={actor} build={before} />
      <OneSidedLines
        title={ACTOR_WORDS.onlyInBuild}
        lines={log.added}
        total={log.addedTotal}
        href={hrefOfBuild(actor, id)}
      />
      <OneSidedLines
        title={ACTOR_WORDS.onlyInGood}
        lines={log.missing}
        total={log.missingTotal}
        href={hrefOfBuild(actor, before.id)}
      />
      {log.isPartial && <p className="muted t13">{COMPARE_WORDS.partialLog}</p>}
    </>
  );
}
