// The URL of a server as people write it.
import { Failure } from '../../kernel/failure.ts';

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
