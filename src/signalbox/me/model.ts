// The caller as the Signalbox API shows them, and what they may prefer.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';

const Time = Type.Integer({ description: 'In epoch milliseconds' });

export const Me = Type.Object(
  {
    username: Type.String({ description: 'The account that owns what the caller creates' }),
    member: Type.Object(
      {
        id: Type.String(),
        username: Type.String(),
        email: Type.String(),
        firstName: Type.Optional(Type.String()),
        lastName: Type.Optional(Type.String()),
        role: Type.String(),
        customRoles: Type.Array(Type.String()),
      },
      { description: 'For a service token, the member who created it' },
    ),
    authentication: Type.Union([
      Type.Object({
        kind: Type.Literal('token'),
        token: Type.Object({
          id: Type.String(),
          name: Type.String(),
          ending: Type.String({ description: 'Its last characters' }),
          isService: Type.Boolean(),
          expiresAt: Type.Optional(Time),
        }),
      }),
      Type.Object({
        kind: Type.Literal('session'),
        session: Type.Object({ id: Type.String(), expiresAt: Time }),
      }),
    ]),
    server: Type.Object({
      release: Type.String(),
      publicUrl: Type.String(),
      program: Type.String({ description: 'How its program is called where it was started' }),
      now: Type.Integer({ description: 'Its clock, in epoch milliseconds' }),
    }),
  },
  { $id: 'Me' },
);

/** Programs that an API runs do not get here, so that a caller without a session has a token. */
function toAuthentication({ token, session }: KnownCaller): Static<typeof Me>['authentication'] {
  if (session !== undefined)
    return { kind: 'session', session: { id: session.hash, expiresAt: session.expiresAt } };
  if (token === undefined) throw new Failure('unauthenticated', 'This call needs a token or a session.');
  const { id, name, ending, isService, expiresAt } = token;
  return {
    kind: 'token',
    token: { id, name, ending, isService, ...(expiresAt !== undefined && { expiresAt }) },
  };
}

export function toMe(caller: KnownCaller, server: Static<typeof Me>['server']): Static<typeof Me> {
  const { member } = caller;
  const { id, username, email, firstName, lastName, role, customRoles } = member;
  return {
    username: accountOf(caller).username,
    member: {
      id,
      username,
      email,
      ...(firstName !== undefined && { firstName }),
      ...(lastName !== undefined && { lastName }),
      role,
      customRoles,
    },
    authentication: toAuthentication(caller),
    server,
  };
}

/** As many as a page has buttons. */
const MAX_QUESTIONS = 200;

const Question = {
  action: PlainText({ minLength: 1, maxLength: 200 }),
  resource: PlainText({ minLength: 1, maxLength: 1000 }),
};

export const PermissionQuestions = Type.Object({
  questions: Type.Array(Type.Object(Question), { maxItems: MAX_QUESTIONS }),
});

export const PermissionAnswers = Type.Object({
  answers: Type.Array(
    Type.Object({ action: Type.String(), resource: Type.String(), isAllowed: Type.Boolean() }),
    {
      description: 'In the order of the questions',
    },
  ),
});

const Table = Type.Object({
  columns: Type.Optional(Type.Array(PlainText({ maxLength: 100 }), { maxItems: 100 })),
  widths: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.Integer({ minimum: 0, maximum: 10_000 })),
  ),
  pinned: Type.Optional(
    Type.Array(PlainText({ maxLength: 100 }), {
      maxItems: 20,
      description: 'Columns that stay in view while the others are scrolled',
    }),
  ),
  density: Type.Optional(OneOf(['compact', 'default'])),
});

/** A list by its kind and the project that it is of. */
const ListName = Type.String({ maxLength: 300 });

const SavedView = Type.Object(
  {
    name: PlainText({ minLength: 1, maxLength: 100 }),
    query: PlainText({ maxLength: 2000, description: 'Of the address of the list, without a question mark' }),
  },
  { additionalProperties: false },
);

/** All that may be chosen. What is absent is as the console does it by itself. */
export const Preferences = Type.Object(
  {
    theme: Type.Optional(OneOf(['system', 'light', 'dark'])),
    timeZone: Type.Optional(
      PlainText({
        maxLength: 100,
        description: 'A name such as `Europe/Vienna`; absent, that of the browser',
      }),
    ),
    hasKeys: Type.Optional(Type.Boolean({ description: 'Whether single keys do something' })),
    isRailNarrow: Type.Optional(Type.Boolean()),
    client: Type.Optional(
      PlainText({ maxLength: 40, description: 'The client that examples are shown for' }),
    ),
    dismissed: Type.Optional(
      Type.Array(PlainText({ maxLength: 100 }), { maxItems: 100, description: 'Hints that were put away' }),
    ),
    tables: Type.Optional(Type.Record(ListName, Table)),
    pinnedActors: Type.Optional(
      Type.Array(PlainText({ maxLength: 100 }), {
        maxItems: 8,
        uniqueItems: true,
        description: 'The ids of Actors that home shows, in their order',
      }),
    ),
    views: Type.Optional(
      Type.Record(ListName, Type.Array(SavedView, { maxItems: 50 }), {
        description: 'Filters of lists that were given a name',
      }),
    ),
  },
  { $id: 'Preferences', additionalProperties: false },
);

export type PreferenceValues = Static<typeof Preferences>;

/** Of the JSON text: whatever is sent, a member takes no more room. */
const MAX_LENGTH = 64 * 1024;

export const PreferencePatch = Type.Object(
  Object.fromEntries(
    Object.entries(Preferences.properties).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
  ),
  { $id: 'PreferencePatch', additionalProperties: false, description: 'Null takes a choice back' },
);

/** What is absent stays, and null takes a choice back. */
export function patchPreferences(
  present: PreferenceValues,
  patch: Readonly<Record<string, unknown>>,
): PreferenceValues {
  const { timeZone } = patch;
  if (typeof timeZone === 'string' && !isTimeZone(timeZone))
    throw new Failure('invalid', `There is no time zone ${timeZone}`, {
      fields: [{ field: '/timeZone', message: 'is no time zone' }],
    });
  const joined = Object.entries({ ...present, ...patch }).filter(([, value]) => value !== null);
  const changed = Object.fromEntries(joined) as PreferenceValues;
  if (JSON.stringify(changed).length > MAX_LENGTH)
    throw new Failure('too-large', `Preferences have at most ${MAX_LENGTH} characters of JSON.`);
  return changed;
}

export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
