// Questions and changes that the host API has over GraphQL alone. Its errors come with a reply that says 200.
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';

export function graphqlCall(query: string, variables: Readonly<Record<string, unknown>>): Call {
  return { api: 'host', method: 'POST', path: '/graphql', body: { query, variables } };
}

export async function sendGraphql<Data>(call: Call, signal?: AbortSignal): Promise<Data> {
  const { body, headers } = await send<{ data?: Data | null; errors?: { message: string }[] }>(call, signal);
  const [error] = body.errors ?? [];
  if (error !== undefined || body.data === undefined || body.data === null)
    throw new ApiError(422, { message: error?.message ?? 'There is no reply.' }, headers);
  return body.data;
}
