// The URLs of the APIs on a server, and its announcement when it is ready: text for a terminal, and the fields of a log line.
import { apis } from '../app/apis.ts';
import type { painter } from './io.ts';

export interface ServerFacts {
  version: string;
  /** Where it listens, and where people reach it. */
  url: string;
  publicUrl: string;
  role: 'all' | 'api' | 'worker';
  data: string;
  database: string;
  /** What Actors get, or why none can run; undefined on a server that leaves them to others. */
  actors: string | undefined;
  pid: number;
  readyMs: number;
  /** The command that makes a login link. */
  loginCommand: string;
  /** Only the start that created it knows it; the database stores a hash. */
  newToken: string | undefined;
}

interface ApiUrl {
  name: string;
  title: string;
  url: string;
  /** The URL of a call that any token may make. */
  tryUrl: string;
}

/** The path that returns the caller, in each API. */
const WHO_AM_I: Record<string, string> = {
  flags: '/caller-identity',
  actors: '/users/me',
  host: '/user',
  signalbox: '/me',
};

export function apiUrls(publicUrl: string): ApiUrl[] {
  return apis.map(({ protocol: { name, title, prefixes } }) => {
    const url = publicUrl + prefixes[0]!;
    return { name, title, url, tryUrl: url + (WHO_AM_I[name] ?? '') };
  });
}

/** This is the only log line with the new token. */
export function reportServer({ loginCommand, newToken, ...facts }: ServerFacts): object {
  const { publicUrl, role } = facts;
  const urls = apiUrls(publicUrl).map(({ name, url }) => [name, url]);
  return {
    ...facts,
    ...(role !== 'worker' && {
      apis: Object.fromEntries(urls),
      docs: `${publicUrl}/docs`,
      login: loginCommand,
    }),
    ...(newToken !== undefined && { token: newToken }),
  };
}

export function describeServer(
  { version, publicUrl, role, data, database, actors, pid, readyMs, newToken }: ServerFacts,
  loginLink: string,
  paint: ReturnType<typeof painter>,
): string {
  const width = 15;
  const line = (name: string, text: string) => `  ${paint('dim', name.padEnd(width))}${text}`;
  const token = newToken ?? '$SIGNALBOX_TOKEN';
  const calls = apiUrls(publicUrl).flatMap(({ title, url, tryUrl }) => [
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
    ...(newToken === undefined
      ? []
      : [line('Token', paint('bold', newToken)), line('', "the administrator's, shown this once: keep it")]),
    line('Data', data),
    line('Database', database),
    ...(actors === undefined ? [] : [line('Actors', actors)]),
    line('Stop', `Ctrl+C or kill ${pid}; twice to stop at once`),
    '',
    `ready in ${readyMs} ms`,
  ].join('\n');
}
