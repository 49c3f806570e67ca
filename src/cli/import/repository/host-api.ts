// A client of the Host API of the server that a repository is imported into.
import { Failure } from '../../../kernel/failure.ts';
import { RELEASE } from '../../../app/release.ts';
import { messageOf } from '../../command-errors.ts';

/** Without an answer for this long, a call has failed. */
const TIMEOUT_MS = 60_000;

export interface TargetRepository {
  id: number;
  full_name: string;
  html_url: string;
  default_branch: string;
}

interface ErrorReply {
  message?: string;
  errors?: { message?: string }[];
}

export class HostApi {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  async readLogin(): Promise<string> {
    const { status, body } = await this.#call('GET', '/user');
    const { login } = body as { login?: string };
    if (status === 200 && login !== undefined) return login;
    if (status === 401 || status === 403)
      throw new Failure('unauthenticated', `${this.url} rejects the token: give another with --to-token.`);
    throw new Failure('invalid', `${this.url} is not a server with the Host API. Check --to-url.`);
  }

  async find(fullName: string): Promise<TargetRepository | undefined> {
    const { status, body } = await this.#call('GET', `/repos/${fullName}`);
    if (status === 404) return undefined;
    const found = this.#requirePermission(status, 200, body) as TargetRepository;
    // A former name leads to another repository.
    return found.full_name.toLowerCase() === fullName.toLowerCase() ? found : undefined;
  }

  /** Of the caller, or of an organization. */
  async create(owner: string | undefined, name: string, isPrivate: boolean): Promise<TargetRepository> {
    const path = owner === undefined ? '/user/repos' : `/orgs/${owner}/repos`;
    const { status, body } = await this.#call('POST', path, { name, private: isPrivate });
    if (status === 404)
      throw new Failure(
        'not-found',
        `${this.url} has no organization "${owner}" in which you may create repositories.`,
      );
    return this.#requirePermission(status, 201, body) as TargetRepository;
  }

  async setDefaultBranch({ full_name: fullName }: TargetRepository, branch: string): Promise<void> {
    const { status, body } = await this.#call('PATCH', `/repos/${fullName}`, { default_branch: branch });
    this.#requirePermission(status, 200, body);
  }

  async remove({ full_name: fullName }: TargetRepository): Promise<void> {
    const { status, body } = await this.#call('DELETE', `/repos/${fullName}`);
    if (status !== 404) this.#requirePermission(status, 204, body);
  }

  #requirePermission(status: number, expected: number, body: unknown): unknown {
    if (status === expected) return body;
    const { message = '', errors = [] } = body as ErrorReply;
    const words = [message, ...errors.map((error) => error.message ?? '')].filter(Boolean).join(' ');
    throw new Failure('invalid', `${this.url} answers ${status}: ${words || 'without a reason'}`);
  }

  async #call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    try {
      const answer = await fetch(`${this.url}/api/v3${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          'user-agent': `signalbox-import/${RELEASE}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : parseJson(text) };
    } catch (error) {
      throw new Failure('unavailable', `${this.url} cannot be reached: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
