// The words of the palette.
export const PALETTE = {
  title: 'Search and commands',
  placeholder: 'Search flags, runs, code, people… or > for commands',
  results: 'Results',
  recent: 'Recent',
  commands: 'Commands',
  empty: (text: string) => `Nothing that you may see matches “${text}”.`,
  failed: 'The search did not work.',
  all: (text: string) => `All results for “${text}”`,
  hints: [
    ['↑ ↓', 'move'],
    ['>', 'commands'],
    ['f:', 'flags'],
    ['r:', 'runs'],
    ['@', 'people'],
    ['#', 'issues'],
  ],
  newToken: 'New token…',
  inviteMember: 'Invite a member…',
  switchTheme: 'Switch between light and dark',
  keys: 'All keys',
  logOut: 'Log out',
} as const;
