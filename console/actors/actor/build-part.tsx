// One build of an Actor, with its log while it is made.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { LogView } from '../log/log-view.tsx';
import { hrefOfActor } from '../queries.ts';
import { RunDuration, RunStatusView } from '../run-cells.tsx';
import { isOver } from '../run.ts';
import { useAbortBuild, useBuild, type ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

export interface BuildPartProps {
  actor: ActorDetail;
  id: string;
  isOwner: boolean;
}

export function BuildPart({ actor, id, isOwner }: BuildPartProps) {
  const { build, error, refetch } = useBuild(id);
  const abort = useAbortBuild(id);
  if (build === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={8} />;
  }
  return (
    <div className="stack">
      {abort.error !== null && <Banner tone="bad">{abort.error.message}</Banner>}
      <div className="row row--wrap row--12">
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
      </div>
      {build.statusMessage && <p className="t13">{build.statusMessage}</p>}
      <LogView kind="build" id={id} isOver={isOver(build)} emptyText={ACTOR_WORDS.noLog} />
    </div>
  );
}
