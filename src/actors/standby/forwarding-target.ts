// One step of a request: to the web server of a run, or to the node that has it, which knows the sender by a signed header.
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { RawExchange, RawRouteCall } from '../../kernel/http/raw-route.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { WebServer } from '../runs/web-server.ts';
import { noWebServer } from './model.ts';
import {
  replyHead,
  bodyOf,
  connectionNames,
  HOP_BY_HOP,
  requestHead,
  type ForwardedClient,
} from './message-heads.ts';

export interface ForwardingTarget {
  /** Host and port, or a Unix socket. */
  address: Pick<RequestOptions, 'host' | 'port' | 'socketPath' | 'protocol'>;
  path: string;
  /** Whose connections are kept. */
  agent: NonNullable<RequestOptions['agent']>;
  requestHead(isKept: boolean): string[];
  replyHead(reply: IncomingMessage): string[];
  /** Where it does not answer. */
  failure(cause: unknown): Error;
  /** Whether another try on a new connection makes sense. */
  isThere(): boolean;
}

export function forwardToProgram(
  { request, upgrade }: RawExchange,
  server: WebServer,
  client: ForwardedClient,
): ForwardingTarget {
  const { address, agent, run, closed } = server;
  const { rawHeaders, headers } = request;
  const sent = { rawHeaders, body: bodyOf(headers), isUpgrade: upgrade !== undefined, client };
  return {
    address: 'port' in address ? { host: '127.0.0.1', port: address.port } : address,
    path: client.path,
    agent,
    requestHead: (isKept) => requestHead(sent, server, isKept),
    replyHead: (reply) => replyHead(reply, client),
    failure: (cause) =>
      noWebServer(`The program of the run ${run.id} does not answer, or has ended. See its log.`, cause),
    isThere: () => !closed.signal.aborted,
  };
}

/** On requests of one node to another. */
export const FORWARDING_HEADER = 'x-signalbox-hop';

interface NodeTarget {
  url: string;
  agent: NonNullable<RequestOptions['agent']>;
  /** The value of the header that only nodes can make. */
  signature: string;
}

/** With the client's own credential: the other node checks it as this one did. */
export function forwardToNode(
  { request, upgrade }: RawExchange,
  { url, agent, signature }: NodeTarget,
): ForwardingTarget {
  const { protocol, hostname: host, port } = new URL(url);
  const { rawHeaders, headers, url: path = '/' } = request;
  const dropped = new Set([...HOP_BY_HOP, 'content-length', 'expect', FORWARDING_HEADER]);
  return {
    address: { protocol, host: host.replaceAll(/[[\]]/g, ''), port: port === '' ? undefined : Number(port) },
    path: pathOf(path),
    agent,
    requestHead(isKept) {
      const body = bodyOf(headers);
      return [
        ...passed(rawHeaders, dropped),
        ...(typeof body === 'number' ? ['content-length', String(body)] : []),
        ...(body === 'chunked' ? ['transfer-encoding', 'chunked'] : []),
        ...(upgrade
          ? ['connection', 'Upgrade', 'upgrade', 'websocket']
          : ['connection', isKept ? 'keep-alive' : 'close']),
        FORWARDING_HEADER,
        signature,
      ];
    },
    replyHead: (reply) => passed(reply.rawHeaders, new Set(HOP_BY_HOP)),
    failure: (cause) => noWebServer('The node that has the run does not answer.', cause),
    isThere: () => true,
  };
}

/** A client may write the whole URL. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

function passed(rawHeaders: readonly string[], dropped: ReadonlySet<string>): string[] {
  const named = connectionNames(rawHeaders);
  const head: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const folded = rawHeaders[index]!.toLowerCase();
    if (!dropped.has(folded) && !named.has(folded)) head.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return head;
}

/** Machines set their clocks by themselves. */
const MAX_SKEW_MS = 5 * 60 * 1000;
const PURPOSE = 'requests between nodes';

type SignedCall = Pick<RawRouteCall, 'method' | 'url' | 'address'>;

/** The client's address goes with it, as the other node sees this one's. */
export function signForwarding({ secrets, clock }: Kernel, call: SignedCall): string {
  const time = String(clock.now());
  const address = Buffer.from(call.address).toString('base64url');
  return `${time}.${address}.${secrets.sign(PURPOSE, textOf(call, time, address))}`;
}

function textOf({ method, url }: SignedCall, time: string, address: string): string {
  return [time, address, method, pathOf(url)].join('\n');
}

/**
 * The address of the client; undefined where no node has sent the request. Throws for a header that no node has made: without
 * that, two nodes whose clocks differ would send a request to each other for ever.
 */
export function readForwarding({ secrets, clock }: Kernel, call: RawRouteCall): string | undefined {
  const header = call.headers[FORWARDING_HEADER];
  if (header === undefined) return undefined;
  const [time = '', address = '', signature = ''] = String(header).split('.');
  const isRecent = Math.abs(clock.now() - Number(time)) <= MAX_SKEW_MS;
  if (isRecent && secrets.verify(PURPOSE, textOf(call, time, address), signature))
    return Buffer.from(address, 'base64url').toString();
  throw new Failure(
    'malformed',
    `The header ${FORWARDING_HEADER} is for nodes of this server, which have the same secret key and the same time.`,
    { part: 'request' },
  );
}
