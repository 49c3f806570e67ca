// Where repositories refer to a flag, as their scanners have reported.
import { useRead } from '../../api/read.ts';

export interface CodeHunk {
  startingLineNumber: number;
  lines?: string;
}

export interface CodeFile {
  path: string;
  hunks: CodeHunk[];
}

export interface CodeRepository {
  name: string;
  type: string;
  defaultBranch: string;
  enabled: boolean;
  sourceLink?: string;
  hunkUrlTemplate?: string;
  branches?: { name: string; head: string; syncTime: number; references?: CodeFile[] }[];
}

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
