// The state of the server, for administrators: figures, checks with advice, nodes, the work that waits, and the settings in force.
import type { System } from '../../api/types/signalbox.ts';
import '../../styles/system.css';
import { DemoCard } from '../../app/demo.tsx';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import {
  DiskCard,
  DiskUseCard,
  LoadCard,
  LogLevelCard,
  StorageCard,
  SystemFigures,
} from './system-cards.tsx';
import { BackupsSection, PausedBanner } from './system-backups.tsx';
import { useSystem } from './system-queries.ts';
import { SettingsSection } from './system-settings.tsx';
import { Checks, DueWorkTable, Nodes } from './system-tables.tsx';
import { SYSTEM } from './system-words.ts';

export default function SystemPage() {
  usePageInfo([{ label: SYSTEM.account }, { label: SYSTEM.title }]);
  const { data: system, error, dataUpdatedAt, isFetching, refetch } = useSystem();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={SYSTEM.title}
        badge={system && <Verdict checks={system.checks} />}
        meta={system && <About system={system} />}
        actions={
          system && (
            <Button icon="redo" isBusy={isFetching} onClick={() => void refetch()}>
              {SYSTEM.refresh}
            </Button>
          )
        }
      />
      {system !== undefined ? (
        <>
          {error !== null && <Banner tone="bad">{`${SYSTEM.old} ${error.message}`}</Banner>}
          <Facts system={system} readAt={dataUpdatedAt} onChanged={() => void refetch()} />
        </>
      ) : error === null ? (
        <Skeleton rows={8} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

function Verdict({ checks }: { checks: System['checks'] }) {
  const [bad, warn] = (['bad', 'warn'] as const).map(
    (state) => checks.filter((check) => check.state === state).length,
  );
  if (bad! > 0)
    return (
      <Status tone="bad" isPill>
        {SYSTEM.bad(bad!)}
      </Status>
    );
  return (
    <Status tone={warn! > 0 ? 'warn' : 'ok'} isPill>
      {warn! > 0 ? SYSTEM.warnings(warn!) : SYSTEM.fine}
    </Status>
  );
}

function About({ system: { release, node, startedAt } }: { system: System }) {
  return (
    <>
      <span>{SYSTEM.meta(release, node.version, `${node.platform} ${node.arch}`)}</span>
      <span>
        {SYSTEM.started} <Time at={startedAt} />
      </span>
      <span>{SYSTEM.refreshing}</span>
    </>
  );
}

interface FactsProps {
  system: System;
  readAt: number;
  onChanged: () => void;
}

function Facts({ system, readAt, onChanged }: FactsProps) {
  return (
    <div className="stack stack--24">
      {system.pausedSince !== undefined && <PausedBanner since={system.pausedSince} onResumed={onChanged} />}
      <SystemFigures system={system} readAt={readAt} />
      <div className="cols system__cols">
        <div className="stack stack--24">
          <Checks checks={system.checks} />
          <DueWorkTable system={system} />
          <Nodes nodes={system.nodes} readAt={readAt} />
          <BackupsSection isPaused={system.pausedSince !== undefined} />
        </div>
        <div className="stack stack--24">
          {system.disk !== undefined && <DiskCard disk={system.disk} />}
          <DiskUseCard use={system.diskUse} />
          <StorageCard system={system} />
          <LoadCard system={system} />
          <LogLevelCard level={system.logLevel} onChanged={onChanged} />
          <DemoCard />
        </div>
      </div>
      <SettingsSection />
    </div>
  );
}
