// A server, and the real octokit with its throttling and retry plugins in one version: what the scenarios of a suite share.
import { after, before } from 'node:test';
import { Octokit, RequestError } from 'octokit';
import { checkingFetch } from '../../host-contract/check-reply.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { ADMIN_TOKEN, type TestServer } from '../../server.ts';
import { openReceiver, type WebhookReceiver } from '../../webhook-receiver.ts';
import { CalledRoutes } from './called-routes.ts';

export interface OctokitMember extends HostPerson {
  octokit: Octokit;
}

export interface OctokitSuite {
  version: string;
  /** The routes that octokit has got a success from. */
  called: CalledRoutes;
  /** From here on only while tests run. */
  readonly server: TestServer;
  readonly receiver: WebhookReceiver;
  /** The class, for clients that create their own. */
  readonly Client: typeof Octokit;
  /** With the administrator's token. */
  readonly admin: Octokit;
  connect(auth?: string): Octokit;
  /** A new member and their client. */
  join(login: string): Promise<OctokitMember>;
}

interface SuiteOptions {
  version: string;
  prefix: string;
  start(): Promise<TestServer>;
}

/** Starts the server before the tests of the suite, and stops it afterwards. */
export function openSuite({ version, prefix, start }: SuiteOptions): OctokitSuite {
  const called = new CalledRoutes(version);
  let opened: Pick<OctokitSuite, 'server' | 'receiver' | 'Client' | 'admin'>;
  const connect = (auth?: string) => new opened.Client(auth === undefined ? {} : { auth });
  before(async () => {
    const [server, receiver] = [await start(), await openReceiver()];
    const Client = clientOf(server.url + prefix, version, called);
    opened = { server, receiver, Client, admin: new Client({ auth: ADMIN_TOKEN }) };
  });
  after(async () => {
    await opened.server.stop();
    await opened.receiver.close();
  });
  return {
    version,
    called,
    get server() {
      return opened.server;
    },
    get receiver() {
      return opened.receiver;
    },
    get Client() {
      return opened.Client;
    },
    get admin() {
      return opened.admin;
    },
    connect,
    async join(login) {
      const person = await joinHost(opened.server, login);
      return { ...person, octokit: connect(person.token) };
    },
  };
}

const silent = { debug() {}, info() {}, error() {}, warn() {} };

/** Between two changes the throttling plugin waits for seconds, which public services ask for. It still obeys limits. */
const unpaced = {
  key: () => ({
    schedule: (_options: unknown, job: (...given: unknown[]) => unknown, ...given: unknown[]) =>
      job(...given),
  }),
} as never;

function clientOf(baseUrl: string, version: string, called: CalledRoutes): typeof Octokit {
  const versioned = (octokit: Pick<Octokit, 'hook'>) => {
    octokit.hook.before('request', ({ headers }) => {
      headers['x-github-api-version'] ??= version;
    });
    octokit.hook.after('request', (_response, { headers, method, url }) => {
      if (headers['x-github-api-version'] === version) called.add(method, url);
    });
  };
  return Octokit.plugin(versioned).defaults({
    baseUrl,
    log: silent,
    request: { fetch: checkingFetch, log: silent },
    // What is refused with 409 is tried again, at once.
    retry: { retryAfterBaseValue: 1 },
    throttle: {
      write: unpaced,
      search: unpaced,
      notifications: unpaced,
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
}

export const isStatus =
  (status: number, words = '') =>
  (error: unknown): boolean =>
    error instanceof RequestError && error.status === status && error.message.includes(words);
