// Where repositories refer to a flag, as their scanners have reported.
import { useRead } from '../../api/read.ts';
import type { RepositoryRep } from '../../api/types/flags.ts';

export type CodeRepository = RepositoryRep;
export type CodeFile = NonNullable<NonNullable<RepositoryRep['branches']>[number]['references']>[number];

export function useCodeReferences(project: string, flag: string) {
  return useRead<{ items: CodeRepository[] }>({
    call: {
      api: 'flags',
      path: '/code-refs/repositories',
      query: { projKey: project, flagKey: flag, withReferencesForDefaultBranch: true },
    },
    topics: ['code-reference-repository'],
  });
}
