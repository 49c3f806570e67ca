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

export const FACTOR = {
  title: 'Second factor',
  off: 'Your login needs the password alone. With a code of an authenticator app, a password that somebody else knows lets nobody in.',
  on: 'Your login needs a code of your authenticator app beside the password.',
  since: 'Since',
  left: 'Recovery codes left',
  few: 'Few recovery codes are left. Get new ones before you need them.',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  newCodes: 'New recovery codes',
  begin: 'Turn on the second factor',
  next: 'Next',
  scan: 'Scan this with an authenticator app, or type the secret into it. Then type the code that the app shows.',
  picture: 'The secret as a picture for an authenticator app',
  secret: 'Secret',
  code: 'Code',
  codeHelp: 'Six digits, which change every 30 seconds.',
  codeOrRecovery: 'A code of the app, or a recovery code.',
  confirm: 'Turn on',
  others: 'Turning it on ends all your other sessions.',
  codesTitle: 'Your recovery codes',
  codesLabel: 'Recovery codes',
  codesText:
    'Each lets you in once instead of a code, when the phone is lost. Keep them away from the phone. Earlier ones are worth nothing now.',
  offTitle: 'Turn off the second factor?',
  offText: 'From then on the password alone lets you in.',
  isOff: 'The second factor is off.',
} as const;

export const EXTERNAL = {
  off: (provider: string) =>
    `Connect your account at ${provider}, and log in with it instead of your password.`,
  on: (provider: string) => `You can log in with your account at ${provider}.`,
  account: 'Account',
  nameless: 'without an address',
  since: 'Since',
  connect: 'Connect',
  end: 'Disconnect',
  passwordFirst: 'Set a password first, so that you can log in again.',
  connected: 'The account is connected.',
  ended: 'The account is not connected any more.',
  title: (provider: string) => `Connect with ${provider}`,
  way: (provider: string) => `You log in at ${provider}, and come back to this page.`,
  go: (provider: string) => `Go to ${provider}`,
} as const;
