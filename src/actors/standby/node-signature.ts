// The header by which a node knows that a request comes from another node, and has come to the right place.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { isSameSecret } from '../../kernel/secrets/secret.ts';
import { FORWARDING_HEADER, pathOf } from './forwarding-target.ts';

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
  const expected = secrets.sign(PURPOSE, textOf(call, time, address));
  const isRecent = Math.abs(clock.now() - Number(time)) <= MAX_SKEW_MS;
  if (isRecent && isSameSecret(signature, expected)) return Buffer.from(address, 'base64url').toString();
  throw new Failure(
    'malformed',
    `The header ${FORWARDING_HEADER} is for nodes of this server, which have the same secret key and the same time.`,
    { part: 'request' },
  );
}
