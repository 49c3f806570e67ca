// The words of the pages of tokens.

const API_NAMES: Readonly<Record<string, string>> = {
  flags: 'flags API',
  actors: 'Actors API',
  host: 'code API',
  signalbox: 'account API',
};

/** What the server says of a token's scope, as the beginning of a line. */
const SCOPES: Readonly<Record<string, string>> = {
  'everything you may': 'Everything you may do',
  'everything its owner may': 'Everything its owner may do',
  everything: 'Everything',
  administrates: 'Administers',
  writes: 'Reads and writes',
  reads: 'Reads',
  nothing: 'Nothing',
};

const many = (count: number, one: string) => `${count.toLocaleString()} ${one}${count === 1 ? '' : 's'}`;

export const TOKENS = {
  title: 'Tokens',
  account: 'Account',
  text: 'Keys for scripts and services. A personal one can do at most what its owner may do.',
  create: 'New token',
  filter: 'Filter by name or ending',
  everyone: "Everyone's",
  quick: 'Quick filters',
  more: 'Show more',
  shown: (count: number) => many(count, 'token'),
  moreToFind: 'There are more to look through.',
  added: (count: number) => `${count} new, show`,
  columns: {
    name: 'Name',
    scope: 'Scope',
    created: 'Created',
    expires: 'Expires',
    lastUse: 'Last used',
    actions: 'Actions',
  },
  unnamed: 'without a name',
  ending: (ending: string) => `…${ending}`,
  never: 'never',
  neverUsed: 'never used',
  unused: 'unused',
  expired: 'expired',
  scope: (words: string) => SCOPES[words] ?? words,
  api: (api: string) => API_NAMES[api] ?? api,
  actionsOf: (name: string) => `Actions for ${name}`,
  open: 'Open',
  empty: {
    title: 'No tokens yet',
    text: 'A token lets a script or a service call the APIs of this server, with no more power than its task needs.',
    noMatch: 'No token matches',
    noMatchText: 'Its name and its last characters are searched.',
    clear: 'Clear the filter',
  },
  notAllowed: 'Your role cannot create tokens: it needs createAccessToken on member/me:token/*.',
} as const;

export const PANEL = {
  close: 'Close the panel',
  previous: 'Previous token',
  next: 'Next token',
  personal: 'Personal',
  service: 'Service',
  owner: 'Owner',
  createdBy: 'Created by',
  removedMember: 'a member who was removed',
  id: 'Id',
  copyId: 'Copy the id of the token',
  ending: 'Ends in',
  description: 'Description',
  created: 'Created',
  expires: 'Expires',
  lastUse: 'Last used',
  from: (address: string) => `from ${address}`,
  may: 'What it may do',
  customRoles: 'All that these custom roles allow:',
  narrowed: 'As far as its owner may do it.',
  usage: 'Calls of the last 7 days',
  rotate: 'Rotate…',
  revoke: 'Revoke…',
  rotateOthers: 'Only its owner can rotate a personal token. You can revoke it.',
  mayNot: (action: string) => `Your role lacks ${action} on this token.`,
} as const;

export const USAGE = {
  view: 'View of the figures',
  chart: 'Chart',
  table: 'Table',
  calls: 'Calls',
  refused: 'Refused',
  busiest: 'Busiest hour',
  none: 'No calls in the last 7 days.',
  summary: (calls: number, refused: number) =>
    `${many(calls, 'call')} in the last 7 days, ${refused.toLocaleString()} of them refused by a rate limit`,
  bar: (hour: string, calls: number, refused: number) =>
    `${hour}: ${many(calls, 'call')}${refused === 0 ? '' : `, ${refused.toLocaleString()} refused`}`,
  hour: 'Hour',
  api: 'API',
  category: 'Limit',
  later: 'A call is counted some seconds after it.',
} as const;

export const ROTATE = {
  title: (name: string) => `Rotate “${name}”`,
  text: 'It gets a new secret, which is shown once. Name, scope and expiry stay.',
  overlap: 'How long the old secret works',
  overlaps: [
    { value: '0', label: 'It stops now' },
    { value: '1', label: '1 hour more' },
    { value: '24', label: '24 hours more' },
    { value: '168', label: '7 days more' },
  ],
  help: 'Long enough to put the new secret in place everywhere. If the old one has leaked, stop it now.',
  submit: 'Rotate and show the new secret',
  cancel: 'Cancel',
} as const;

export const REVOKE = {
  title: (name: string) => `Revoke “${name}”?`,
  confirm: 'Revoke the token',
  text: 'Calls with it are refused from this moment. This cannot be taken back.',
  service: 'What it owns in the other APIs goes to you.',
  reading: 'Its use of the last week is being read.',
  unread: 'Its use of the last week could not be read.',
  inUse: 'It is in use: what calls with it will fail.',
  lastUse: 'Last used',
  done: (name: string) => `“${name}” is revoked.`,
} as const;

export const SECRET = {
  ready: (name: string) => `Token “${name}” is ready`,
  rotated: (name: string) => `“${name}” has a new secret`,
  secret: 'Secret',
  scope: 'Scope',
  expires: 'Expires',
  neverExpires: 'never',
  tryIt: 'Try it',
  tryText: 'Put the secret into the variable SIGNALBOX_TOKEN first. Any token may make this call.',
  waiting: 'Waiting for its first call…',
  used: (api: string) => `It works: a call to the ${api} has come`,
} as const;

export const FORM = {
  title: 'New token',
  text: 'Give it the least that its task needs, and an end.',
  name: 'Name',
  nameHelp: 'What it is for: you will look for it in this list one day.',
  nameMissing: 'Give it a name.',
  nameLong: 'At most 256 characters.',
  kind: 'Kind',
  personal: 'Personal',
  personalText: 'Acts as you, with at most what you may do.',
  service: 'Service',
  serviceText: 'An account of its own. It stays when its creator leaves.',
  noService: 'Your role cannot create service tokens.',
  scope: 'Scope',
  scopes: { task: 'By task', role: 'By role', custom: 'Custom roles', policy: 'Policy' },
  onlyRoles: 'Only an administrator gives a service token anything but a base role.',
  task: 'What is it for?',
  taskMissing: 'Choose a task.',
  parameter: (name: string) => name.charAt(0).toUpperCase() + name.slice(1),
  all: (name: string) => `All: every ${name}`,
  choose: 'Choose…',
  namesLoading: 'Loading…',
  parameterMissing: 'Choose one, or all.',
  parameterBad: 'Only letters, digits, “.”, “_” and “-”; “*” stands for all.',
  parameterHelp: '“*” stands for all.',
  role: 'Role',
  roles: {
    reader: ['Reader', 'Sees everything, changes nothing.'],
    writer: ['Writer', 'Sees and changes everything but members, roles and the account.'],
    admin: ['Administrator', 'Changes everything, members and roles included.'],
    owner: ['Owner', 'Everything that the owner of the account may do.'],
  },
  ownerPersonal: ['Everything you may do', 'As if you made the calls yourself, custom roles included.'],
  noRoles: 'Your role is below all that can be given. Choose a task or custom roles.',
  custom: 'Custom roles',
  customMissing: 'Choose at least one role.',
  noCustom: 'There are no custom roles here yet.',
  moreRoles: 'Show more roles',
  policy: 'Statements, as JSON',
  policyHelp:
    'A list of statements, each with effect, actions and resources. What no statement allows is denied.',
  policyFits: (count: number) => `${many(count, 'statement')}: the form is right.`,
  editPolicy: 'Edit as a policy',
  expiry: 'Expires',
  expiries: [
    { value: '1', label: 'In 1 day' },
    { value: '7', label: 'In 7 days' },
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    { value: '365', label: 'In 1 year' },
    { value: 'date', label: 'On a day of your choice' },
    { value: 'never', label: 'Never' },
  ],
  date: 'Last day',
  dateBad: 'Choose a day from today on.',
  neverWarning:
    'A token without an end works until somebody revokes it, wherever it has leaked to. Rotate it now and then.',
  submit: 'Create token',
  cancel: 'Cancel',
  summary: 'What it will be able to do',
  nothingYet: 'Choose a scope to see it here.',
  kept: 'What you fill in is kept in this browser until you create the token.',
} as const;

export const POLICY = {
  allow: 'Allows',
  deny: 'Denies',
  all: 'everything',
  on: 'on',
  except: 'everything but',
  notJson: (reason: string) => `This is not JSON: ${reason}`,
  notList: 'It must be a list of statements: [{ … }].',
  empty: 'It needs at least one statement.',
  tooMany: 'At most 500 statements.',
  notObject: (at: number) => `Statement ${at} must be an object.`,
  effect: (at: number) => `Statement ${at}: “effect” must be "allow" or "deny".`,
  unknown: (at: number, name: string) => `Statement ${at}: there is no field “${name}”.`,
  pair: (at: number, one: string, other: string) =>
    `Statement ${at} needs exactly one of “${one}” and “${other}”, with at least one entry.`,
  entry: (at: number, name: string, example: string) =>
    `Statement ${at}: each of “${name}” must be text such as "${example}".`,
} as const;
