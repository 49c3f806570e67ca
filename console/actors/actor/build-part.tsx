// One build of an Actor, with its log while it is made, and beside the last good one.
import { useMemo } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { RunStatusView } from '../../lib/run-status.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { LogView } from '../log/log-view.tsx';
import { hrefOfActor } from '../queries.ts';
import { RunDuration } from '../run-cells.tsx';
import { isOver } from '../run.ts';
import {
  useAbortBuild,
  useBuild,
  useBuildSteps,
  type ActorDetail,
  type BuildDetail,
} from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { BuildCompare } from './build-compare.tsx';
import { useHrefOfPlace } from './source-places.ts';

export interface BuildPartProps {
  actor: ActorDetail;
  id: string;
  isOwner: boolean;
}

export function BuildPart({ actor, id, isOwner }: BuildPartProps) {
  const { build, error, refetch } = useBuild(id);
  const abort = useAbortBuild(id);
  const search = useSearchState('');
  if (build === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={8} />;
  }
  const isCompared = isOwner && search.get('view') === 'compare';
  return (
    <div className="stack">
      {abort.error !== null && <Banner tone="bad">{abort.error.message}</Banner>}
      <div className="row row--wrap row--12 build-head">
        <TextLink href={hrefOfActor(actor, 'builds')}>{ACTOR_WORDS.backToBuilds}</TextLink>
        <h2 className="h3">
          {ACTOR_WORDS.build} {build.buildNumber}
        </h2>
        <RunStatusView status={build.status} isPill />
        <span className="muted t13">
          <Time at={build.startedAt} />, <RunDuration run={build} />
        </span>
        {isOwner && !isOver(build) && (
          <Button tone="danger" size="sm" icon="stop" isBusy={abort.isPending} onClick={() => abort.mutate()}>
            {ACTOR_WORDS.abortBuild}
          </Button>
        )}
        {isOwner && (
          <span className="push">
            <Segmented
              size="sm"
              label={ACTOR_WORDS.buildViews}
              value={isCompared ? 'compare' : 'log'}
              options={[
                { value: 'log', label: ACTOR_WORDS.toBuild },
                { value: 'compare', label: ACTOR_WORDS.comparisonTab },
              ]}
              onChange={(next) => search.set({ view: next === 'log' ? undefined : next }, { isStep: true })}
            />
          </span>
        )}
      </div>
      {build.statusMessage && <p className="t13">{build.statusMessage}</p>}
      {isCompared ? <BuildCompare actor={actor} id={id} /> : <BuildLog actor={actor} build={build} />}
    </div>
  );
}

/** Shorter steps would only be noise at the margin. */
const NOTABLE_MS = 10;

function BuildLog({ actor, build }: { actor: ActorDetail; build: BuildDetail }) {
  const { id, status } = build;
  const isRunning = !isOver(build);
  const found = useBuildSteps(id, isRunning);
  const version = build.actVersion.versionNumber;
  // Files as they are now: those that the build was made from may have had other lines.
  const files = actor.versions.find(({ versionNumber }) => versionNumber === version)?.sourceFiles;
  const names = useMemo(() => (files ?? []).map(({ name }) => name), [files]);
  const hrefOfPlace = useHrefOfPlace(actor, version, names);
  const notes = useMemo(
    () =>
      new Map(
        found?.steps.flatMap(({ number, durationMs }) =>
          durationMs === undefined || durationMs < NOTABLE_MS
            ? []
            : [[number, formatDuration(durationMs)] as const],
        ),
      ),
    [found],
  );
  const hasFailed = status === 'FAILED' || status === 'TIMED-OUT';
  return (
    <LogView
      kind="build"
      id={id}
      isOver={!isRunning}
      emptyText={ACTOR_WORDS.noLog}
      notes={notes}
      firstError={hasFailed ? (found?.firstError ?? undefined) : undefined}
      hrefOfPlace={hrefOfPlace}
    />
  );
}
