// What a server says when it is ready: text for a person, and the fields of a log line for a program.
import { placesOf } from './apis.ts';
import type { painter } from './io.ts';

export interface ServerFacts {
  version: string;
  /** Where it listens, and where people reach it. */
  url: string;
  publicUrl: string;
  role: 'all' | 'api' | 'worker';
  data: string;
  database: string;
  pid: number;
  readyMs: number;
  /** The command that makes a login link. */
  loginCommand: string;
  /** Only the start that made it knows it; later there is only a hash. */
  madeToken: string | undefined;
}

/** The made token stands in this line and in no other. */
export function reportServer({ loginCommand, madeToken, ...facts }: ServerFacts): object {
  const { publicUrl, role } = facts;
  const apis = placesOf(publicUrl).map(({ name, url }) => [name, url]);
  return {
    ...facts,
    ...(role !== 'worker' && {
      apis: Object.fromEntries(apis),
      docs: `${publicUrl}/docs`,
      login: loginCommand,
    }),
    ...(madeToken !== undefined && { token: madeToken }),
  };
}

export function describeServer(
  { version, publicUrl, role, data, database, pid, readyMs, madeToken }: ServerFacts,
  loginLink: string,
  paint: ReturnType<typeof painter>,
): string {
  const width = 12;
  const line = (name: string, text: string) => `  ${paint('dim', name.padEnd(width))}${text}`;
  const token = madeToken ?? '$SIGNALBOX_TOKEN';
  const calls = placesOf(publicUrl).flatMap(({ title, url, tryUrl }) => [
    line(title, paint('cyan', url)),
    line('', `curl -H "Authorization: Bearer ${token}" ${tryUrl}`),
  ]);
  return [
    `${paint('bold', `Signalbox ${version}`)} listens on ${paint('cyan', publicUrl)}`,
    '',
    ...(role === 'worker'
      ? [line('Role', 'worker: does waiting work, answers no API calls')]
      : [
          ...calls,
          line('Docs', paint('cyan', `${publicUrl}/docs`)),
          line('Log in', `${paint('cyan', loginLink)} (works once, for 15 minutes)`),
        ]),
    ...(madeToken === undefined
      ? []
      : [line('Token', paint('bold', madeToken)), line('', "the administrator's, shown this once: keep it")]),
    line('Data', data),
    line('Database', database),
    line('Stop', `Ctrl+C or kill ${pid}; twice to stop at once`),
    '',
    `ready in ${readyMs} ms`,
  ].join('\n');
}
