// The words of the page of settings.

export const SETTINGS = {
  title: 'Settings',
  account: 'Account',
  text: 'Your profile, your password, and how the console looks to you.',
  save: 'Save',
  saved: 'Saved',
} as const;

export const PROFILE = {
  title: 'Profile',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  emailHelp: 'Also a name to log in with. Commits with this address are shown as yours.',
  emailBad: 'This is not an e-mail address.',
  username: 'Username',
  usernameHelp: 'Part of the addresses of what you own, so it stays.',
  role: 'Role',
  customRoles: 'Custom roles',
  nothingChanged: 'Nothing is changed.',
} as const;

export const PASSWORD = {
  title: 'Password',
  none: 'You have no password yet: you came by a login link. Set one, so that you can log in again.',
  toForm: 'Set a password',
  current: 'Present password',
  currentHelp: 'Not needed for 15 minutes after a login by link.',
  fresh: 'New password',
  freshHelp: 'At least 8 characters. Length counts for more than strange signs.',
  short: 'At least 8 characters.',
  long: 'At most 1,024 characters.',
  show: 'Show what I type',
  others: 'Setting it ends all your other sessions and login links.',
  submit: 'Set the password',
  done: 'The password is set, and your other sessions are ended.',
} as const;

export const SESSIONS = {
  title: 'Sessions',
  text: 'Browsers that are logged in as you. Tokens are not among them.',
  browser: 'Browser',
  address: 'Opened from',
  created: 'Logged in',
  seen: 'Last seen',
  expires: 'Ends by itself',
  end: 'End',
  endOf: (agent: string) => `End the session of ${agent}`,
  current: 'this browser',
  unknown: 'Unknown browser',
  endOthers: 'End all others',
  noOthers: 'There are no others.',
  ended: (count: number) => (count === 1 ? '1 session is ended.' : `${count} sessions are ended.`),
  endedOne: 'The session is ended.',
  confirmTitle: 'End all other sessions?',
  confirmText: 'Those browsers have to log in again. What is typed there and not saved stays on their pages.',
  confirm: 'End all other sessions',
} as const;

export const LOOK = {
  title: 'Appearance and keys',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  timeZone: 'Time zone',
  timeZoneHelp: (example: string) => `Times are written like this: ${example}`,
  ownZone: (zone: string) => `As this browser (${zone})`,
  keys: 'Single keys',
  keysHelp: 'Letters such as “c” or “j” act where nothing is typed. Switch them off if they get in your way.',
  client: 'Client of examples',
  clientHelp: 'Calls of pages are shown for this client first.',
} as const;
