// One Actor: run it, its source, its builds, its runs, its tasks, its settings.
import { useLocation, useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { hrefOfActor } from '../queries.ts';
import { ActorFiguresView } from './actor-figures.tsx';
import { useActorDetail, type ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { BuildPart } from './build-part.tsx';
import { BuildsTab } from './builds-tab.tsx';
import { MakeMineButton } from './make-mine.tsx';
import { PinButton } from './pin-button.tsx';
import { RunTab } from './run-tab.tsx';
import { RunsTab } from './runs-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SourceTab } from './source-tab.tsx';
import { StandbyLine } from './standby-line.tsx';
import { TasksTab } from './tasks-tab.tsx';

const TABS = ['run', 'source', 'builds', 'runs', 'tasks', 'settings'] as const;
type ActorTab = (typeof TABS)[number];

export default function ActorPage() {
  const { actor: ref, '*': rest = '' } = useParams<{ actor: string; '*'?: string }>();
  const { actor, error, refetch } = useActorDetail(ref);
  const name = actor?.title || actor?.name || ref;
  usePageInfo([
    { label: ACTOR_WORDS.actors, href: '/actors' },
    {
      label: name,
      href: `/actors/${encodeURIComponent(ref)}`,
      ...(actor !== undefined && { copy: actor.id }),
    },
  ]);
  if (actor === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </main>
    );
  return <ActorView key={actor.id} actor={actor} rest={rest} />;
}

function ActorView({ actor, rest }: { actor: ActorDetail; rest: string }) {
  const [first, item] = rest.split('/');
  const { data: me } = useMe();
  const isOwner = me?.member.id === actor.userId;
  const tabs = TABS.filter((one) => isOwner || one !== 'settings');
  const tab = tabs.find((one) => one === first) ?? 'run';
  const [, navigate] = useLocation();
  useKeys({ r: () => navigate(hrefOfActor(actor)) }, { isOn: tab !== 'run' });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={actor.title || actor.name}
        badge={actor.isPublic && <Badge icon="globe">{ACTOR_WORDS.isPublic}</Badge>}
        meta={
          <>
            <span className="mono t12">{`${actor.username}/${actor.name}`}</span>
            {actor.description && <span>{actor.description}</span>}
            <span>{ACTOR_WORDS.totalRuns(formatCount(actor.stats.totalRuns))}</span>
          </>
        }
        actions={
          <>
            <ActorFiguresView actorId={actor.id} />
            {me !== undefined && !isOwner && <MakeMineButton actor={actor} />}
            <PinButton actorId={actor.id} />
          </>
        }
      />
      <StandbyLine actor={actor} />
      <Tabs
        label={ACTOR_WORDS.tabs}
        items={tabs.map((one) => ({
          href: hrefOfActor(actor, one === 'run' ? '' : one),
          label: ACTOR_WORDS[one],
          isCurrent: one === tab,
        }))}
      />
      <ActorTabView actor={actor} tab={tab} item={item} isOwner={isOwner} />
    </main>
  );
}

interface ActorTabViewProps {
  actor: ActorDetail;
  tab: ActorTab;
  /** The id of a build. */
  item: string | undefined;
  isOwner: boolean;
}

function ActorTabView({ actor, tab, item, isOwner }: ActorTabViewProps) {
  if (tab === 'source') return <SourceTab actor={actor} isOwner={isOwner} />;
  if (tab === 'builds')
    return item === undefined ? (
      <BuildsTab actor={actor} isOwner={isOwner} />
    ) : (
      <BuildPart key={item} actor={actor} id={item} isOwner={isOwner} />
    );
  if (tab === 'runs') return <RunsTab actor={actor} />;
  if (tab === 'tasks') return <TasksTab actor={actor} />;
  if (tab === 'settings') return <SettingsTab actor={actor} />;
  return <RunTab actor={actor} />;
}
