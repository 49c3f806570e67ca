// The guard on outgoing calls: prevents URLs of users from reaching the server's own network (SSRF).
import { lookup as resolveName } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Failure } from '../failure.ts';

export interface Guard {
  /**
   * Refuses a URL that must not be called. Needed before every call and after every redirect, because a socket does
   * not ask `lookup` when the host is an IP address.
   */
  checkUrl(url: string | URL): URL;
  /**
   * For the socket that connects. The addresses checked are those it connects to, so that a name which answers
   * differently the second time (DNS rebinding) gains nothing.
   */
  lookup: LookupFunction;
}

export type Resolve = (hostname: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>;

export interface GuardSettings {
  /** Permits loopback, private and link-local addresses: for a server whose users are trusted with its network. */
  allowPrivate: boolean;
  resolve?: Resolve;
}

export function guard({ allowPrivate, resolve = resolveName }: GuardSettings): Guard {
  const objection = (address: string) => objectionTo(address, allowPrivate);
  return {
    checkUrl(url) {
      const parsed = URL.parse(String(url));
      if (!parsed) throw refused('it is not a URL');
      if (!/^https?:$/.test(parsed.protocol)) throw refused(`${parsed.protocol} is neither http: nor https:`);
      if (parsed.username || parsed.password) throw refused('it holds a user name or password');
      const host = parsed.hostname.replace(/^\[|\]$|\.$/g, '');
      // These names always mean loopback (RFC 6761), so they are refused without a lookup.
      const address = /(?:^|\.)localhost$/.test(host) ? '127.0.0.1' : host;
      const reason = isIP(address) && objection(address);
      if (reason) throw refused(`${host} is ${reason}`);
      return parsed;
    },

    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }).then(
        (addresses) => {
          for (const { address } of addresses) {
            const reason = objection(address);
            if (reason) return callback(refused(`${hostname} has the address ${address}, ${reason}`), '', 0);
          }
          const [first] = addresses;
          if (!first) return callback(refused(`${hostname} has no address`), '', 0);
          if (options.all) return callback(null, addresses);
          return callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
    },
  };
}

function refused(reason: string): Failure {
  return new Failure('invalid', `The URL is refused: ${reason}.`);
}

const HOW_TO_ALLOW =
  ', which this server calls only when it runs with --allow-private-webhooks (SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS=1)';

/** The reason why the address must not be connected to, if there is one. */
function objectionTo(address: string, allowPrivate: boolean): string | undefined {
  const version = isIP(address);
  if (version === 0) return 'not an IP address';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = blocked.find(({ list }) => list.check(address, family));
  if (range?.isPrivate) return allowPrivate ? undefined : `${range.what}${HOW_TO_ALLOW}`;
  if (range) return range.what;
  return family === 'ipv4' || publicV6.check(address, family) ? undefined : 'a reserved address';
}

interface Range {
  list: BlockList;
  what: string;
  isPrivate: boolean;
}

/** The first range that contains an address applies. */
const blocked: Range[] = [
  // The server's own machine: databases, admin pages and this server trust local clients.
  unlessAllowed('a loopback address', '127.0.0.0/8', '::1/128'),
  // Other machines behind the same firewall.
  unlessAllowed('a private network address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'),
  // The same for IPv6, including the metadata services fd00:ec2::254 and fd20:ce::254.
  unlessAllowed('a private network address', 'fc00::/7', 'fec0::/10'),
  // The local link; above all 169.254.169.254, where clouds give their credentials to any client.
  unlessAllowed('a link-local address', '169.254.0.0/16', 'fe80::/10'),
  // Clouds' metadata and control services outside the link-local range.
  unlessAllowed('a cloud metadata address', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'),
  // The inner side of carriers' and overlay networks.
  unlessAllowed('a shared address (carrier-grade NAT)', '100.64.0.0/10'),
  // The network's own translator, which may reach any IPv4 address, private ones included.
  unlessAllowed('a local translation address (NAT64)', '64:ff9b:1::/48'),

  // Linux treats the unspecified address as loopback.
  always('an unspecified address', '0.0.0.0/8', '::/128'),
  // One packet reaches many hosts: no web server answers there, but a whole network could be made to respond.
  always('a multicast address', '224.0.0.0/4', 'ff00::/8'),
  // The same, for the whole local network.
  always('the broadcast address', '255.255.255.255/32'),
  // Only for examples in documents; a network that routes them uses them for internal purposes.
  always('a documentation address', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'),
  always('a documentation address', '2001:db8::/32', '3fff::/20'),
  // Only for tests between devices in laboratories.
  always('a benchmarking address', '198.18.0.0/15', '2001:2::/48'),
  // Tunnels: a private IPv4 address inside an IPv6 address that looks public. All three are obsolete.
  always('a tunnel address (6to4)', '2002::/16', '192.88.99.0/24'),
  always('a tunnel address (Teredo)', '2001::/32'),
  always('an IPv4-compatible address', '::/96'),
  // Reserved for protocols or future use: no host there is on the public Internet.
  always('a reserved address', '192.0.0.0/24', '240.0.0.0/4', '2001::/23'),
];

/** Only this part of IPv6 is assigned, apart from the two notations of IPv4 addresses, which the ranges cover. */
const publicV6 = listOf(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']);

function unlessAllowed(what: string, ...subnets: string[]): Range {
  return { list: listOf(subnets), what, isPrivate: true };
}

function always(what: string, ...subnets: string[]): Range {
  return { list: listOf(subnets), what, isPrivate: false };
}

function listOf(subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', length = ''] = subnet.split('/');
    if (isIP(address) === 6) {
      list.addSubnet(address, Number(length), 'ipv6');
    } else {
      // This covers the mapped form (::ffff:10.0.0.1), but not the well-known NAT64 form (RFC 6052).
      list.addSubnet(address, Number(length), 'ipv4');
      list.addSubnet(`64:ff9b::${address}`, 96 + Number(length), 'ipv6');
    }
  }
  return list;
}
