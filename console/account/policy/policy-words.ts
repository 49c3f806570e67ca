// The words of policies: of statements, and of what is wrong with them.
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
