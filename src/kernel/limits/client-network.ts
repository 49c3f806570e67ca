// The network of a client, by which callers without a credential are told apart, and the windows of these callers. ADR 0064.
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

/** With fewer windows than half of this, in all categories together, every network has its own; one takes about 400 bytes. */
const MAX_NETWORKS = 50_000;

/** Above that, a network is crowded with as many windows in it: a /48 or an IPv4 /24, a /32 or a /16. */
const CROWDS = [
  { groups: 3, windows: 64 },
  { groups: 2, windows: 1024 },
] as const;

/**
 * An attacker with very many addresses has them in few wide networks. Those share a window there, while callers elsewhere have
 * their own. Windows that are open stay, so nobody loses what is left of a budget.
 */
export class NetworkWindows {
  readonly #max: number;
  /** The number of windows in each network that may become crowded. */
  readonly #crowds = new Map<string, number>();
  #size = 0;

  constructor(max = MAX_NETWORKS) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Whose window a caller gets who has none: its own, or that of a network around it. */
  holderFor(who: string): string {
    if (this.#size * 2 < this.#max || isShared(who)) return who;
    // There are at most 65,792 networks of one group, so that the number has a bound whatever the addresses are.
    if (this.#size >= this.#max * 2) return networkAround(who, 1);
    if (this.#size >= this.#max) return networkAround(who, 2);
    // The wider one first: if that is crowded, there may be many narrow ones in it.
    for (const { groups, windows } of CROWDS.toReversed()) {
      const around = networkAround(who, groups);
      if ((this.#crowds.get(around) ?? 0) >= windows) return around;
    }
    return who;
  }

  add(who: string): void {
    this.#count(who, 1);
  }

  delete(who: string): void {
    this.#count(who, -1);
  }

  #count(who: string, change: 1 | -1): void {
    if (!isNetwork(who)) return;
    this.#size += change;
    if (isShared(who)) return;
    for (const { groups } of CROWDS) {
      const around = networkAround(who, groups);
      const windows = (this.#crowds.get(around) ?? 0) + change;
      if (windows === 0) this.#crowds.delete(around);
      else this.#crowds.set(around, windows);
    }
  }
}

/** Whether it is a network around those of callers. */
function isShared(who: string): boolean {
  return who.endsWith('*');
}
