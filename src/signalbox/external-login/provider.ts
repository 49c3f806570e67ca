// The identity provider of the operator: where it sends people to, and who came back. OpenID Connect. ADR 0181.
import type * as openidClient from 'openid-client';
import type { Configuration } from 'openid-client';
import { Failure } from '../../kernel/failure.ts';
import type { Guard } from '../../kernel/network/guard.ts';
import type { Logger } from '../../kernel/observability/log.ts';
import { providerFetch } from './provider-fetch.ts';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the button of the login says. */
  name: string;
}

/** What has to come back unchanged, and in the same browser. */
export interface ProviderChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Whom the provider vouches for. The pair of issuer and subject names them for ever; everything else may change hands. */
export interface ExternalIdentity {
  issuer: string;
  subject: string;
  /** Only where the provider says that it is verified. */
  email: string | undefined;
  firstName: string | undefined;
  lastName: string | undefined;
}

/** A provider may change its addresses; its keys are looked up anew by the library. */
const KNOWN_MS = 60 * 60 * 1000;

export class LoginProvider {
  readonly settings: ProviderSettings;
  readonly #guard: Guard;
  readonly #log: Pick<Logger, 'warn'>;
  #known: { configuration: Promise<Configuration>; until: number } | undefined;

  constructor(settings: ProviderSettings, { guard, log }: { guard: Guard; log: Pick<Logger, 'warn'> }) {
    this.settings = settings;
    this.#guard = guard;
    this.#log = log;
  }

  /** The address at the provider to which the browser goes. */
  async begin(callback: string, now: number): Promise<{ url: string; checks: ProviderChecks }> {
    return await this.#ask(now, async (library, configuration) => {
      const checks = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      };
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: 'openid email profile',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    });
  }

  /** `answer` is the address that the provider sent the browser to. */
  async finish(
    answer: URL,
    { state, nonce, verifier }: ProviderChecks,
    now: number,
  ): Promise<ExternalIdentity> {
    return await this.#ask(now, async (library, configuration) => {
      const tokens = await library.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      return {
        issuer: issuerKey(claims.iss),
        subject: claims.sub,
        email: claims['email_verified'] === true ? textOf(claims['email'])?.toLowerCase() : undefined,
        firstName: textOf(claims['given_name']),
        lastName: textOf(claims['family_name']),
      };
    });
  }

  async #ask<T>(
    now: number,
    work: (library: Library, configuration: Configuration) => Promise<T>,
  ): Promise<T> {
    // Loaded late: most servers have no provider.
    const library = await import('openid-client');
    try {
      return await work(library, await this.#discover(library, now));
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.#log.warn({ err: error, issuer: this.settings.issuer }, 'a login by the identity provider failed');
      throw new Failure(
        'unauthenticated',
        `The login with ${this.settings.name} failed: it was refused, cancelled, or its answer is not to be trusted. Try again, or log in another way.`,
        { cause: error },
      );
    }
  }

  async #discover(library: Library, now: number): Promise<Configuration> {
    if (this.#known === undefined || this.#known.until <= now) {
      const known = { configuration: this.#read(library), until: now + KNOWN_MS };
      this.#known = known;
      known.configuration.catch(() => {
        if (this.#known === known) this.#known = undefined;
      });
    }
    return await this.#known.configuration.catch((error: unknown) => {
      this.#log.warn({ err: error, issuer: this.settings.issuer }, 'the identity provider does not answer');
      throw new Failure(
        'unavailable',
        `${this.settings.name} does not answer as it should. Try again later, or log in another way.`,
        { cause: error },
      );
    });
  }

  #read(library: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    const isPlain = url.protocol === 'http:';
    return library.discovery(url, clientId, clientSecret, undefined, {
      [library.customFetch]: providerFetch(url, this.#guard),
      // Signatures are checked, too, though the tokens come from the provider itself. Plain HTTP is the operator's choice of the issuer.
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
    });
  }
}

/** As it is stored: with or without a slash at the end it is the same one. */
export function issuerKey(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

type Library = typeof openidClient;

const MAX_TEXT = 200;

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.includes('\0')) return undefined;
  const text = value.trim().slice(0, MAX_TEXT);
  return text === '' ? undefined : text;
}
