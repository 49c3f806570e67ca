// The kernel's own cost: two hot calls against bare node:http, version descent, start and idle memory.
import { compare, median } from './compare.ts';
import type { Row } from './report.ts';
import { startBare, startOurs, TOKEN } from './servers.ts';

const STARTS = 5;

export async function benchGround({ rounds, seconds }: { rounds: number; seconds: number }): Promise<Row[]> {
  const starts: number[] = [];
  for (let index = 0; index < STARTS; index += 1) {
    const server = await startOurs();
    starts.push(server.readyMs);
    await server.stop();
  }
  const bare = await startBare();
  const ours = await startOurs();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const idle = ours.memory() / 1024 / 1024;
  const authorization = `Bearer ${TOKEN}`;
  const hot = await compare(
    [
      { name: 'bare node:http', url: bare.url },
      { name: 'GET /rate_limit', url: `${ours.url}/rate_limit`, headers: { authorization } },
      { name: 'GET /v2/users/me', url: `${ours.url}/v2/users/me`, headers: { authorization } },
    ],
    { rounds, seconds },
  );
  const versions = await compare(
    ['2026-03-10', '2022-11-28'].map((version) => ({
      name: `GET / in ${version}`,
      url: `${ours.url}/`,
      headers: { authorization, 'x-host-api-version': version },
    })),
    { rounds, seconds },
  );
  await bare.stop();
  await ours.stop();
  const [, rateLimit, me] = hot;
  const [newest, oldest] = versions;
  return [
    {
      what: 'GET /rate_limit',
      value: `${rateLimit!.rate}/s`,
      ratio: rateLimit!.ratio,
      against: `bare node:http, ${hot[0]!.rate}/s`,
      target: 0.45,
    },
    {
      what: 'GET /v2/users/me',
      value: `${me!.rate}/s`,
      ratio: me!.ratio,
      against: `bare node:http, ${hot[0]!.rate}/s`,
      target: 0.45,
    },
    {
      what: 'GET / descended to 2022-11-28',
      value: `${oldest!.rate}/s`,
      ratio: oldest!.ratio,
      against: `2026-03-10, ${newest!.rate}/s`,
      target: 0.95,
    },
    {
      what: 'start to ready',
      value: `${Math.round(median(starts))} ms`,
      against: 'at most 2000 ms',
      isMet: median(starts) <= 2000,
    },
    { what: 'idle memory', value: `${Math.round(idle)} MB`, against: 'at most 150 MB', isMet: idle <= 150 },
  ];
}
