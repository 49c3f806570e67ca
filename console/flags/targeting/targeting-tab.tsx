// The targeting of a flag in one environment: the steps of the evaluation in order, each of which can be changed.
import '../../styles/targeting.css';
import { useMemo } from 'react';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { useCurrentEnvironment } from '../flag/current-environment.ts';
import type { Flag } from '../flag.ts';
import { useEnvironments } from '../queries.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { TargetingEditor } from './targeting-editor.tsx';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { targetingOf, type TargetingConfig } from './targeting.ts';

export default function TargetingTab({ project, flag }: { project: string; flag: Flag }) {
  const { error, refetch, data } = useEnvironments(project);
  const { current } = useCurrentEnvironment(project);
  const config = flag.environments?.[current?.key ?? ''] as TargetingConfig | undefined;
  // What was read again and is the same is the same object.
  const saved = useMemo(() => config && targetingOf(config), [config]);
  if (error !== null && data === undefined)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  if (current === undefined || saved === undefined)
    return <EmptyState icon="flag" title={WORDS.notHere.title} text={WORDS.notHere.text} />;
  return (
    <TargetingEditor
      key={`${flag.key} ${current.key}`}
      project={project}
      flag={flag}
      environment={current}
      environments={data.items}
      saved={saved}
    />
  );
}
