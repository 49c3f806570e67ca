// Requests to a program in standby mode: what the proxy costs, against a proxy of a few lines and against none.
import { compare, median, type Effort } from './compare.ts';
import { headers } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { ask, createScript, startRunServer } from './run-calls.ts';
import { startBareProxy } from './servers.ts';

const MOST_CPU = 3;
const MOST_LATENCY = 3;
const CALLS = 500;

const PROGRAM = `
const { ACTOR_STANDBY_PORT: port, SIGNALBOX_RUN_SECRET: secret } = process.env;
require('node:http').createServer((request, response) => {
  const body = request.url === '/who' ? JSON.stringify({ port: Number(port), secret }) : 'hello';
  response.writeHead(200, { 'content-length': body.length }).end(body);
}).listen(Number(port));
`;

export async function benchStandby(effort: Effort): Promise<Row[]> {
  const server = await startRunServer();
  const actorId = await createScript(server.url, PROGRAM);
  const actorStandby = { isEnabled: true, desiredRequestsPerActorRun: 1000, maxRequestsPerActorRun: 1000 };
  await ask(server.url, 'PUT', `/v2/actors/${actorId}`, { actorStandby });
  const path = `/standby/${actorId}/`;
  const who = await fetch(`${server.url}${path}who`, { headers });
  const { port, secret } = (await who.json()) as { port: number; secret: string };
  const own = { 'x-signalbox-run-secret': secret };
  const bare = await startBareProxy({ port, headers: own });
  const [baseline, ours] = await compare(
    [
      { server: bare, work: { method: 'GET', path: '/' } },
      { server, work: { method: 'GET', path, headers } },
    ],
    effort,
  );
  const latencies: { direct: number; bare: number; proxied: number }[] = [];
  for (let round = 0; round < effort.rounds; round += 1) {
    latencies.push({
      direct: await latencyOf(`http://127.0.0.1:${port}`, '/', own),
      bare: await latencyOf(bare.url, '/', {}),
      proxied: await latencyOf(server.url, path, headers),
    });
  }
  await bare.stop();
  await server.stop();
  const ratio = median(latencies.map((one) => one.proxied / one.bare));
  return [
    {
      what: 'CPU time of a request to a program in standby mode',
      value: `${ours!.cpu.toFixed(0)} µs, ${ours!.rate.toFixed(0)}/s`,
      ratio: ours!.times,
      against: `a proxy of node:http that checks nothing, ${baseline!.cpu.toFixed(0)} µs, ${baseline!.rate.toFixed(0)}/s`,
      target: `≤ ${MOST_CPU}`,
      isMet: ours!.times <= MOST_CPU,
    },
    {
      what: 'latency of such a request, one at a time, median',
      value: `${median(latencies.map(({ proxied }) => proxied)).toFixed(2)} ms`,
      ratio,
      against: `that proxy, ${median(latencies.map((one) => one.bare)).toFixed(2)} ms; the program itself without a proxy, ${median(latencies.map(({ direct }) => direct)).toFixed(2)} ms`,
      target: `≤ ${MOST_LATENCY}`,
      isMet: ratio <= MOST_LATENCY,
    },
  ];
}

/** The median of sequential calls on one connection, in milliseconds. */
async function latencyOf(url: string, path: string, sent: Record<string, string>): Promise<number> {
  const connection = new Connection(url, sent);
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const begun = performance.now();
    const { status } = await connection.call('GET', path);
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    times.push(performance.now() - begun);
  }
  connection.close();
  return median(times);
}
