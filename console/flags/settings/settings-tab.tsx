// The settings of a flag: what it is, who looks after it, links, triggers, expiring targets, and its end.
import '../../styles/flag-tabs.css';
import { useSearchState } from '../../lib/search-state.ts';
import { SelectInput } from '../../ui/input.tsx';
import type { Flag } from '../flag.ts';
import { useEnvironments } from '../queries.ts';
import { ExpiringCard } from './expiring-card.tsx';
import { chosenEnvironment, detailOf } from './flag-detail.ts';
import { GeneralCard } from './general-card.tsx';
import { LifecycleCard } from './lifecycle-card.tsx';
import { LinksCard } from './links-card.tsx';
import { SETTINGS_WORDS as WORDS } from './settings-words.ts';
import { TrackingCard } from './tracking-card.tsx';
import { TriggersCard } from './triggers-card.tsx';

export default function SettingsTab({ project, flag }: { project: string; flag: Flag }) {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag.key)}/settings`;
  const search = useSearchState(page);
  const { data } = useEnvironments(project);
  const key = chosenEnvironment(flag, search.get('env') ?? null);
  const environment = data?.items.find((one) => one.key === key);
  const detail = detailOf(flag);
  const chooser = (
    <SelectInput
      aria-label={WORDS.environment}
      controlSize="sm"
      value={key ?? ''}
      onValue={(env) => search.set({ env })}
      options={Object.keys(flag.environments ?? {}).map((one) => ({ value: one, label: one }))}
    />
  );
  return (
    <div className="stack stack--24 tab-body">
      <GeneralCard project={project} flag={detail} />
      <LinksCard project={project} flag={flag.key} />
      {environment !== undefined && (
        <>
          <TrackingCard project={project} flag={detail} environment={environment} chooser={chooser} />
          <TriggersCard
            key={`triggers ${environment.key}`}
            project={project}
            flag={detail}
            environment={environment}
            chooser={chooser}
          />
          <ExpiringCard
            key={`expiring ${environment.key}`}
            project={project}
            flag={detail}
            environment={environment}
            chooser={chooser}
          />
        </>
      )}
      <LifecycleCard project={project} flag={detail} />
    </div>
  );
}
