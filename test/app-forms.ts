// Registers and installs apps as a browser does, for tests: pages, their forms, and what comes of them.
import assert from 'node:assert/strict';
import type { KnownCaller } from '../src/kernel/identity/caller.ts';
import { FORM, openBrowser, type BrowserHeaders } from './people.ts';
import type { Answer, Json, TestServer } from './server.ts';

const REDIRECT = 'https://builder.example/made?from=here';

export const MANIFEST = {
  name: 'Build Bot',
  url: 'https://builder.example',
  redirect_url: REDIRECT,
  default_permissions: { contents: 'read', statuses: 'write' },
  default_events: ['push', 'status'],
};

/** A browser with a session, whose forms come from this server's pages unless told otherwise. */
export class AppBrowser {
  readonly #server: TestServer;
  readonly #browser: BrowserHeaders;

  private constructor(server: TestServer, browser: BrowserHeaders) {
    this.#server = server;
    this.#browser = browser;
  }

  static async open(server: TestServer, member: KnownCaller['member']): Promise<AppBrowser> {
    return new AppBrowser(server, await openBrowser(server, member));
  }

  get(path: string): Promise<Answer> {
    const headers = { ...this.#browser, accept: 'text/html' };
    return this.#server.call(path, { token: null, headers });
  }

  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#server.call(path, {
      method: 'POST',
      token: null,
      headers: { ...FORM, ...this.#browser, origin: this.#server.url, accept: 'text/html', ...headers },
      body: encode(fields),
    });
  }

  /** Posts a manifest, as its site does, and comes to what is asked. */
  async ask(
    manifest: Json,
    { path = '/settings/apps', state = 'abc', origin = 'https://builder.example' } = {},
  ): Promise<Answer> {
    // Browsers send no cookie of this server with the form of another site, and no header for its pages.
    const asked = await this.#server.call(`${path}/new?state=${encodeURIComponent(state)}`, {
      method: 'POST',
      token: null,
      headers: { ...FORM, origin, accept: 'text/html' },
      body: encode({ manifest: JSON.stringify(manifest) }),
    });
    assert.equal(asked.status, 303, asked.text);
    return await this.get(asked.headers.get('location')!);
  }

  /** The fields of the consent form, which has been shown. */
  async consentTo(manifest: Json, { path = '/settings/apps', state = 'abc' } = {}): Promise<Json> {
    const text = JSON.stringify(manifest);
    const shown = await this.ask(manifest, { path, state });
    assert.equal(shown.status, 200, shown.text);
    return { manifest: text, state, name: manifest['name'], token: tokenIn(shown) };
  }

  /** The code that the redirect brings. */
  async agreeTo(manifest: Json, options: { path?: string; state?: string } = {}): Promise<string> {
    const { path = '/settings/apps' } = options;
    const answer = await this.post(path, await this.consentTo(manifest, options));
    assert.equal(answer.status, 204, answer.text);
    return new URL(answer.headers.get('location')!).searchParams.get('code')!;
  }

  /** The reply to the conversion. */
  async register(manifest: Json, options: { path?: string } = {}): Promise<Json> {
    const converted = await convert(this.#server, await this.agreeTo(manifest, options));
    assert.equal(converted.status, 201, converted.text);
    return converted.json;
  }

  /** The number of the installation. */
  async install(
    slug: string,
    account: string,
    repositories: 'all' | readonly number[] = 'all',
  ): Promise<number> {
    const shown = await this.get(`/apps/${slug}/installations/new?account=${account}`);
    assert.equal(shown.status, 200, shown.text);
    const answer = await this.post(`/apps/${slug}/installations`, {
      token: tokenIn(shown),
      account,
      state: '',
      ...selectionOf(repositories),
    });
    assert.equal(answer.status, 204, answer.text);
    const location = new URL(answer.headers.get('location')!, this.#server.url);
    return Number(location.searchParams.get('installation_id') ?? location.pathname.split('/').at(-1));
  }

  /** Sends a form of the page of an installation. */
  async change(path: string, action: string, repositories?: 'all' | readonly number[]): Promise<Answer> {
    const shown = await this.get(path);
    assert.equal(shown.status, 200, shown.text);
    const fields = repositories === undefined ? {} : selectionOf(repositories);
    const before = [...shown.text.matchAll(/name="shown" value="(\d+)"/g)].map(([, number]) => number!);
    return await this.post(path, { token: tokenIn(shown), action, shown: before, ...fields });
  }
}

export function convert(server: TestServer, code: string): Promise<Answer> {
  return server.call(`/app-manifests/${code}/conversions`, { method: 'POST', token: null });
}

type Fields = Record<string, string | readonly string[]>;

function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

function selectionOf(repositories: 'all' | readonly number[]): Fields {
  if (repositories === 'all') return { selection: 'all' };
  return { selection: 'selected', repository: repositories.map(String) };
}

/** The token of the first form of a page. */
export function tokenIn({ text }: Answer): string {
  const [, token] = /name="token" value="([^"]+)"/.exec(text) ?? [];
  assert.ok(token !== undefined, text);
  return token;
}

/** The numbers of the repositories that a page shows as selected. */
export function checkedIn({ text }: Answer): number[] {
  return [...text.matchAll(/name="repository" value="(\d+)" checked/g)].map(([, number]) => Number(number));
}
