// What a server says when it is ready: where it is, how to call it, how to log in and how to stop it.
import { placesOf } from './apis.ts';
import type { painter } from './io.ts';

interface ServerFacts {
  version: string;
  publicUrl: string;
  hasApis: boolean;
  loginLink: string;
  /** Only known at the first start; later there are only hashes. */
  madeToken: string | undefined;
  data: string;
  database: string;
  pid: number;
  readyMs: number;
}

export function describeServer(facts: ServerFacts, paint: ReturnType<typeof painter>): string {
  const { version, publicUrl, hasApis, loginLink, madeToken, data, database, pid, readyMs } = facts;
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
    ...(hasApis
      ? [
          ...calls,
          line('Docs', paint('cyan', `${publicUrl}/docs`)),
          line('Log in', `${paint('cyan', loginLink)} (works once, within a day)`),
        ]
      : [line('Role', 'worker: does waiting work, answers no API calls')]),
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
