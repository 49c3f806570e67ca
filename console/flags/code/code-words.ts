// The words of the tab of code references.
export const CODE_WORDS = {
  empty: {
    title: 'No code refers to this flag',
    text: 'A scanner in the pipeline of a repository reports where flags are used. Then you see here what to remove when the flag is done.',
  },
  disabled: 'switched off',
  branch: 'branch',
  scanned: 'read',
  at: (commit: string) => `at ${commit}`,
  line: (number: number) => `line ${number}`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
  copy: (file: string) => `Copy the lines of ${file}`,
  noHunks: 'The scanner sent no lines.',
  here: 'on this server',
  more: (count: number) => `Show ${count} more`,
} as const;
