// The network of a client, by which callers without a credential are told apart.
import { isIPv4, isIPv6 } from 'node:net';

/** Proxies may forward text that is no address; all such callers count as one. */
const UNKNOWN = 'unknown';
/** Some proxies forward the port too; it differs with every connection. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;
const MAPPED = /^::ffff:([\d.]+)$/i;

/**
 * An IPv4 address is its own network. Of an IPv6 address only the first 64 bits count: every customer of a provider has at
 * least that many addresses, so that a limit of single ones would limit nobody.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  if (isIPv4(address)) return address;
  if (isIPv6(address)) return MAPPED.exec(address)?.[1] ?? prefixOf(address);
  const [, six, four] = WITH_PORT.exec(address) ?? [];
  const bare = six ?? four;
  return bare === undefined ? UNKNOWN : networkOf(bare);
}

function prefixOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // An address that ends like 1.2.3.4 has one group fewer; that is behind the prefix.
  const width = last.at(-1)?.includes('.') ? 7 : 8;
  const zeros = tail === undefined ? 0 : width - groups.length - last.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...last];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Ids of members and programs have neither dots nor colons. */
export function isNetwork(id: string): boolean {
  return id.includes('.') || id.includes(':');
}

/**
 * The network with the first groups of this one, written like `192.0.*` or `2001:db8:*`. Networks of both families have four
 * groups: of 8 bits, or of 16.
 */
export function networkAround(network: string, groups: 1 | 2 | 3): string {
  const separator = network.includes(':') ? ':' : '.';
  let end = network.indexOf(separator);
  for (let count = 1; count < groups; count += 1) end = network.indexOf(separator, end + 1);
  return `${network.slice(0, end + 1)}*`;
}
