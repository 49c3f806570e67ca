// The environment that the page of a flag is about: that of the address, else as the switcher has it.
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { rememberEnvironment } from '../last-place.ts';
import { presentEnvironment } from '../present-environment.ts';
import { useEnvironments, type Environment } from '../queries.ts';

export interface CurrentEnvironment {
  environments: readonly Environment[];
  /** Undefined while they are not known, and where there is none. */
  current: Environment | undefined;
}

export function useCurrentEnvironment(project: string): CurrentEnvironment {
  const [params] = useSearchParams();
  const { data } = useEnvironments(project);
  const environments = data?.items ?? [];
  // Lists name several.
  const asked = params.get('env')?.split(',')[0];
  const current = presentEnvironment(data?.items, project, asked);
  useEffect(() => {
    if (asked !== undefined && current?.key === asked) rememberEnvironment(project, asked);
  }, [project, asked, current?.key]);
  return { environments, current };
}
