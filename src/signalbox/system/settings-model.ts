// A setting of the server with the value in force and where that comes from.
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** All of them, as they are now. */
    inForce(): SettingInForce[];
  }
}

/** A flag takes precedence over the environment, that over the file, and that over the default. */
const SOURCES = ['default', 'file', 'environment', 'flag', 'call'] as const;

export const SettingInForce = Type.Object(
  {
    name: Type.String({ description: 'In the settings file' }),
    flag: Type.Optional(Type.String({ description: 'Absent for secrets, which no command line may have' })),
    env: Type.String({ description: 'The environment variable' }),
    description: Type.String(),
    isSecret: Type.Boolean({ description: 'The value of a secret is never shown' }),
    isSet: Type.Boolean({ description: 'Whether it has a value, a default included' }),
    value: Type.Optional(
      Type.String({ description: 'As on a command line, with passwords masked; absent for secrets' }),
    ),
    default: Type.String({ description: 'What holds without it, as a value or in words' }),
    source: OneOf(SOURCES, {
      description: 'Where the value comes from; `call` is one that was changed since the start',
    }),
  },
  { $id: 'SettingInForce' },
);
export type SettingInForce = Static<typeof SettingInForce>;
