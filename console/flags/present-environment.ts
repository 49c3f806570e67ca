// The environment that a page is about where its address names none, or one that is not there.
import { lastColumns } from './last-place.ts';
import type { Environment } from './queries.ts';

/** What the address says, else the first column of the list, else the critical one. */
export function presentEnvironment(
  known: readonly Environment[] | undefined,
  project: string,
  asked: string | undefined,
): Environment | undefined {
  const find = (key: string | undefined) => known?.find((one) => one.key === key);
  return find(asked) ?? find(lastColumns(project)?.[0]) ?? known?.find((one) => one.critical) ?? known?.[0];
}
