// A small identity provider for tests: OpenID Connect with one key, which says of people what a test wants, true or not.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export interface ProviderLies {
  /** Instead of what is right. */
  issuer?: string;
  audience?: string;
  nonce?: string;
  /** Signed with a key that the provider does not show. */
  isForged?: boolean;
}

export class IdentityProvider {
  url = '';
  /** Whoever comes next. */
  person: Record<string, unknown> = {};
  lies: ProviderLies = {};
  readonly #codes = new Map<
    string,
    { nonce: string; challenge: string; callback: string; isOpen: boolean }
  >();
  #server!: Server;
  #key!: CryptoKey;
  #otherKey!: CryptoKey;
  #jwk!: JWK;

  async start(): Promise<this> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    this.#otherKey = (await generateKeyPair('ES256')).privateKey;
    this.#key = privateKey;
    this.#jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/.well-known/openid-configuration') json(200, this.#metadata());
    else if (pathname === '/keys') json(200, { keys: [this.#jwk] });
    else if (pathname === '/authorize') {
      const code = `code-${this.#codes.size}`;
      const callback = searchParams.get('redirect_uri')!;
      const [nonce, challenge] = [searchParams.get('nonce')!, searchParams.get('code_challenge')!];
      this.#codes.set(code, { nonce, challenge, callback, isOpen: true });
      const query = new URLSearchParams({ code, state: searchParams.get('state')! });
      response.writeHead(302, { location: `${callback}?${query.toString()}` }).end();
    } else if (pathname === '/token') {
      const tokens = await this.#tokens(await readForm(request));
      json(tokens === undefined ? 400 : 200, tokens ?? { error: 'invalid_grant' });
    } else json(404, {});
  }

  #metadata() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  async #tokens(form: URLSearchParams) {
    // A code is good once, as the specification has it.
    const found = this.#codes.get(form.get('code')!);
    if (!found?.isOpen) return undefined;
    found.isOpen = false;
    const { nonce } = found;
    const { lies } = this;
    const token = new SignJWT({ ...this.person, nonce: lies.nonce ?? nonce })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(lies.issuer ?? this.url)
      .setAudience(lies.audience ?? 'signalbox')
      .setIssuedAt()
      .setExpirationTime('5m');
    return {
      access_token: 'unused',
      token_type: 'bearer',
      id_token: await token.sign(lies.isForged === true ? this.#otherKey : this.#key),
    };
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
