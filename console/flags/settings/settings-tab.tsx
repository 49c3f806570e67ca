// The settings of a flag: what it is, who looks after it, links, triggers, expiring targets, and its end.
import '../../styles/flag-tabs.css';
import type { Flag } from '../flag.ts';
import { useCurrentEnvironment } from '../flag/current-environment.ts';
import { ExpiringCard } from './expiring-card.tsx';
import { detailOf } from './flag-detail.ts';
import { GeneralCard } from './general-card.tsx';
import { LifecycleCard } from './lifecycle-card.tsx';
import { LinksCard } from './links-card.tsx';
import { TrackingCard } from './tracking-card.tsx';
import { TriggersCard } from './triggers-card.tsx';

export default function SettingsTab({ project, flag }: { project: string; flag: Flag }) {
  const { current } = useCurrentEnvironment(project);
  const detail = detailOf(flag);
  return (
    <div className="stack stack--24">
      <GeneralCard project={project} flag={detail} />
      <LinksCard project={project} flag={flag.key} />
      {current !== undefined && (
        <>
          <TrackingCard project={project} flag={detail} environment={current} />
          <TriggersCard
            key={`triggers ${current.key}`}
            project={project}
            flag={detail}
            environment={current}
          />
          <ExpiringCard
            key={`expiring ${current.key}`}
            project={project}
            flag={detail}
            environment={current}
          />
        </>
      )}
      <LifecycleCard project={project} flag={detail} />
    </div>
  );
}
