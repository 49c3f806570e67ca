// The words of the page of apps.
export const APPS = {
  account: 'Account',
  title: 'Apps',
  text: 'Apps are programs with an account of their own. An installed app acts on the repositories that you gave it.',
  of: 'Apps of',
  register: 'Register an app',
  installed: 'Installed',
  own: 'Registered',
  columns: {
    app: 'App',
    rights: 'May',
    repositories: 'Repositories',
    state: 'State',
    installations: 'Installed on',
    since: 'Since',
  },
  all: 'all',
  selected: 'selected ones',
  active: 'active',
  suspended: 'suspended',
  asksForMore: 'asks for more',
  public: 'public',
  private: 'private',
  accounts: (count: string, isOne: boolean) => `${count} ${isOne ? 'account' : 'accounts'}`,
  nouns: ['apps', 'app'],
  none: {
    title: 'No app is installed',
    text: 'Sites that offer an app lead here to install it. You choose its repositories and can take everything back.',
  },
  noOwn: {
    title: 'No app is registered',
    text: 'An app has keys of its own and gets short-lived tokens for accounts that install it.',
  },
  more: (name: string) => `More actions: ${name}`,
  actions: 'Actions',
  page: 'What others see',
  suspend: 'Suspend',
  unsuspend: 'Unsuspend',
  uninstall: 'Uninstall',
  suspendTitle: (name: string) => `Suspend ${name}?`,
  suspendText: 'It loses its access, and receives no events, until you give it back.',
  uninstallTitle: (name: string) => `Uninstall ${name}?`,
  uninstallText: 'It loses its access for good. Installing it again is a new installation.',
} as const;

/** What each level allows. */
export const LEVELS = { read: 'read', write: 'read and write', admin: 'administer' } as const;

/** Permissions whose names say little. */
export const PERMISSION_NAMES: Readonly<Record<string, string>> = {
  contents: 'files and commits',
  metadata: 'names and descriptions',
  administration: 'settings of repositories',
  statuses: 'commit statuses',
  checks: 'checks',
  pull_requests: 'pull requests',
  repository_hooks: 'webhooks of repositories',
  organization_hooks: 'webhooks of the organization',
  security_events: 'code-scanning alerts',
  organization_administration: 'settings of the organization',
  members: 'members and teams',
};
