// Calls through faults: to any node, and again until one answers. What a call has done that was not answered is unknown.
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../server.ts';
import { TOKEN } from './nodes.ts';

export interface Outcome {
  status: number;
  text: string;
  readonly json: Json;
}

export interface Caller {
  /** Undefined where nobody answered, or a node that cannot just now: 502 to 504. Other errors of a server fail the soak. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Outcome | undefined>;
  /** Again until it is answered: for what may be done twice. */
  insist(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Outcome>;
}

const PAUSE_MS = 300;
const ANSWER_MS = 60_000;

export function callerOn(urls: readonly string[], problems: string[]): Caller {
  const send: Caller['send'] = async (method, path, body, headers = {}) => {
    const url = urls[Math.floor(Math.random() * urls.length)]!;
    try {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await answer.text();
      const { status } = answer;
      if (status === 500) problems.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
      if (status >= 500) {
        await delay(PAUSE_MS);
        return undefined;
      }
      return {
        status,
        text,
        get json() {
          return JSON.parse(text) as Json;
        },
      };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        problems.push(`${method} ${path}: no answer within ${ANSWER_MS} ms`);
      await delay(PAUSE_MS);
      return undefined;
    }
  };
  return {
    send,
    async insist(...call) {
      for (;;) {
        const outcome = await send(...call);
        if (outcome !== undefined) return outcome;
      }
    },
  };
}
