// Addresses as people write them: of a server, and of the repository that an import copies, whose token comes from the environment.
import { Failure } from '../../kernel/failure.ts';

export interface RepoSource {
  url: URL;
  authorization?: string;
  /** The last part of the path, which is the name here unless another is given. */
  name: string;
}

/** Most hosts ignore the user name beside a token; those that do not, take it from the URL. */
const USER = 'x-access-token';

export function parseRepoSource(text: string, token: string | undefined): RepoSource {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Failure(
      'invalid',
      `The repository must be given by a URL like https://code.example.org/owner/name.git, not "${text.slice(0, 200)}".`,
    );
  if (url.password !== '')
    throw new Failure(
      'invalid',
      'A password in the URL would be visible to other users: put the token into a variable, and name that with --token-env.',
    );
  if (url.search !== '' || url.hash !== '')
    throw new Failure('invalid', 'The URL of the repository must have no query and no fragment.');
  const user = decodeURIComponent(url.username) || USER;
  url.username = '';
  const name = url.pathname
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)!
    .replace(/\.git$/, '');
  const credentials = Buffer.from(`${user}:${token ?? ''}`).toString('base64');
  return { url, name, ...(token !== undefined && { authorization: `Basic ${credentials}` }) };
}

/** The token in the variable that the flag names. */
export function readTokenVariable(name: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (name === undefined) return undefined;
  const token = env[name];
  if (token === undefined || token === '' || /[\r\n\0]/.test(token))
    throw new Failure('invalid', `The variable ${name} that --token-env names holds no token.`);
  return token;
}

/** Without a trailing slash and without /v2. Credentials in a URL would end up in messages. */
export function parseServerUrl(text: string, flag: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Failure(
      'invalid',
      `${flag} must be a URL like https://api.example.com, not "${text.slice(0, 200)}".`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Failure(
      'invalid',
      `${flag} must have no user name, password, query or fragment: tokens have flags of their own.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}`;
}
