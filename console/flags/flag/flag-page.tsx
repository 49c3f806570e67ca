// One flag: what it is, the environment that one looks at, and its tabs.
import '../../styles/flag.css';
import { lazy, Suspense, useEffect, type ComponentType } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge, Key, Tag } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { personName, TYPE_ICONS, typeName, typeOf, type Flag } from '../flag.ts';
import { rememberProject } from '../last-place.ts';
import { useFlag, useFlagHistory, useProjects, type Environment } from '../queries.ts';
import { WORDS as FLAGS_WORDS } from '../words.ts';
import { useCurrentEnvironment } from './current-environment.ts';
import { EnvironmentBar } from './environment-bar.tsx';
import { FlagSwitch } from './flag-switch.tsx';
import { FLAG_WORDS as WORDS } from './flag-words.ts';
import { WaitingBadges } from './waiting-badges.tsx';

type FlagTab = ComponentType<{ project: string; flag: Flag }>;

const TABS = {
  targeting: lazy<FlagTab>(() => import('../targeting/targeting-tab.tsx')),
  variations: lazy<FlagTab>(() => import('../variations/variations-tab.tsx')),
  history: lazy<FlagTab>(() => import('../history/history-tab.tsx')),
  usage: lazy<FlagTab>(() => import('../usage/usage-tab.tsx')),
  code: lazy<FlagTab>(() => import('../code/code-tab.tsx')),
  settings: lazy<FlagTab>(() => import('../settings/settings-tab.tsx')),
} as const;

type TabName = keyof typeof TABS;

export default function FlagPage() {
  const { project, flag: key, '*': rest = '' } = useParams<{ project: string; flag: string; '*'?: string }>();
  const [params] = useSearchParams();
  const { data: flag, error, refetch } = useFlag(project, key);
  const { environments, current } = useCurrentEnvironment(project);
  const projectName = useProjects().data?.items.find((one) => one.key === project)?.name ?? project;
  const list = `/flags/${encodeURIComponent(project)}`;
  const page = `${list}/${encodeURIComponent(key)}`;
  const tab = rest === '' ? 'targeting' : rest;
  usePageInfo([
    { label: FLAGS_WORDS.flags, href: '/flags' },
    { label: projectName, href: list },
    { label: flag?.name ?? key, href: page, copy: key },
  ]);
  // Who goes to the list from here comes to that of this project.
  useEffect(() => {
    if (flag !== undefined) rememberProject(project);
  }, [flag, project]);
  if (flag === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </main>
    );
  const query = current === undefined ? '' : `?env=${encodeURIComponent(current.key)}`;
  // A context that is tried stays when one looks at another environment.
  const context = params.get('context');
  const hrefOf = (environment: string) =>
    `${page}${rest === '' ? '' : `/${rest}`}?env=${encodeURIComponent(environment)}${context === null ? '' : `&context=${encodeURIComponent(context)}`}`;
  const Tab = Object.hasOwn(TABS, tab) ? TABS[tab as TabName] : undefined;
  return (
    <main id="main" className="page flag-page" tabIndex={-1}>
      <PageHead
        title={flag.name}
        badge={
          <>
            {current !== undefined && <FlagSwitch project={project} flag={flag} environment={current} />}
            <span className="flag-kind">
              <FlagBadges flag={flag} />
            </span>
            {current !== undefined && (
              <WaitingBadges project={project} flag={flag.key} environment={current.key} />
            )}
          </>
        }
        meta={<FlagMeta project={project} flag={flag} environment={current} />}
        actions={
          current !== undefined && (
            <EnvironmentBar environments={environments} current={current} hrefOf={hrefOf} />
          )
        }
      />
      <Tabs
        label={WORDS.tabs}
        items={(Object.keys(TABS) as TabName[]).map((name) => ({
          href: `${page}/${name}${query}`,
          label: WORDS[name],
          count: name === 'variations' ? flag.variations.length : undefined,
          isCurrent: name === tab,
        }))}
      />
      {Tab === undefined ? (
        <EmptyState icon="flag" title={WORDS.unknownTab.title} text={WORDS.unknownTab.text} />
      ) : (
        <Suspense fallback={<Skeleton rows={6} />}>
          <Tab key={tab} project={project} flag={flag} />
        </Suspense>
      )}
    </main>
  );
}

function FlagBadges({ flag }: { flag: Flag }) {
  return (
    <>
      <Badge icon={TYPE_ICONS[typeOf(flag)]}>{typeName(flag)}</Badge>
      {flag.archived && <Badge tone="warn">{FLAGS_WORDS.archived}</Badge>}
      {flag.deprecated && <Badge tone="warn">{FLAGS_WORDS.deprecated}</Badge>}
      {flag.temporary && <Badge>{FLAGS_WORDS.temporary}</Badge>}
    </>
  );
}

interface FlagMetaProps {
  project: string;
  flag: Flag;
  environment: Environment | undefined;
}

function FlagMeta({ project, flag, environment }: FlagMetaProps) {
  const { key, description, tags, _maintainer, _maintainerTeam } = flag;
  const maintainer = _maintainerTeam?.name ?? (_maintainer && personName(_maintainer));
  return (
    <>
      {description && <span className="flag-text">{description}</span>}
      <span className="flag-facts">
        <Key copyLabel={FLAGS_WORDS.copyKey(key)}>{key}</Key>
        {environment !== undefined && <LastChange project={project} flag={flag} environment={environment} />}
        <span>{maintainer === undefined ? WORDS.nobody : WORDS.maintainer(maintainer)}</span>
        {tags.length > 0 && (
          <span className="row row--4 row--wrap">
            {tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        )}
      </span>
    </>
  );
}

/** "v41 · bob, 2 h ago". */
function LastChange({ project, flag, environment }: FlagMetaProps & { environment: Environment }) {
  const { data } = useFlagHistory(project, flag.key);
  const config = flag.environments?.[environment.key];
  if (config === undefined) return null;
  // The entry of the last change in this environment has its time.
  const entry = data?.items.find(({ date }) => date === config.lastModified);
  const member = entry?.member;
  return (
    <span>
      {WORDS.version(config.version)} · {member !== undefined && `${personName(member)}, `}
      <Time at={config.lastModified} />
    </span>
  );
}
