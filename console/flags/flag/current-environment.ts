// The environment that the page of a flag is about: that of the address, else the one that was looked at last.
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { recentEnvironments, rememberEnvironment } from '../last-place.ts';
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
  const current =
    [asked, ...recentEnvironments(project)]
      .map((key) => environments.find((one) => one.key === key))
      .find((one) => one !== undefined) ?? environments[0];
  useEffect(() => {
    if (asked !== undefined && current?.key === asked) rememberEnvironment(project, asked);
  }, [project, asked, current?.key]);
  return { environments, current };
}
