// The words of the switcher.
export const SWITCHER_WORDS = {
  label: 'Project and environment',
  project: 'Project',
  environment: 'Environment',
  findProject: 'Find a project',
  findEnvironment: 'Find an environment',
  noProject: 'No project fits.',
  noEnvironment: 'No environment fits.',
  recent: 'Recent',
  all: 'All',
  more: (count: number) => `${count} more: type a part of the name or key.`,
  guarded: (key: string) => `You are in ${key}, a critical environment`,
} as const;
