// The environment that the page of a flag is about: that of the address, else the one that was looked at last.
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { useEnvironments, type Environment } from '../queries.ts';

const KEY = 'signalbox_environment';

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
  const found = [asked, lastEnvironment()].map((key) => environments.find((one) => one.key === key));
  const current = found.find((one) => one !== undefined) ?? environments[0];
  useEffect(() => {
    if (asked !== undefined && current?.key === asked) remember(asked);
  }, [asked, current?.key]);
  return { environments, current };
}

function lastEnvironment(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(key: string): void {
  try {
    localStorage.setItem(KEY, key);
  } catch {
    // Without storage the first environment is shown.
  }
}
