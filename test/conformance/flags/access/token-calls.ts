// Calls for tests of tokens, each made with a given token.
import type { Answer, TestServer } from '../../../server.ts';

/** The first argument of each is the calling token. The server may be started later. */
export function tokenCalls(server: () => TestServer) {
  const call: TestServer['call'] = (path, init) => server().call(`/api/v2/${path}`, init);
  const patch = (token: string, id: string, body: unknown[]): Promise<Answer> =>
    call(`tokens/${id}`, { method: 'PATCH', token, body });
  return {
    patch,
    list: (token: string, query = '') => call(`tokens?${query}`, { token }),
    read: (token: string, id: string) => call(`tokens/${id}`, { token }),
    post: (token: string, body: object) => call('tokens', { method: 'POST', token, body }),
    rename: (token: string, id: string) =>
      patch(token, id, [{ op: 'replace', path: '/name', value: 'renamed' }]),
    reset: (token: string, id: string) => call(`tokens/${id}/reset`, { method: 'POST', token }),
    remove: (token: string, id: string) => call(`tokens/${id}`, { method: 'DELETE', token }),
    isGood: async ({ value }: { value: string }) =>
      (await call('caller-identity', { token: value })).status === 200,
  };
}
