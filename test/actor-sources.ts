// Sources of small Actors, without packages: they use the API as an SDK would.

/** Functions that every script may use: `api` calls the server with the run's token. */
const PRELUDE = `
import { setTimeout as sleep } from 'node:timers/promises';
const env = process.env;
async function api(path, { method = 'GET', body, headers = {} } = {}) {
  const answer = await fetch(env.APIFY_API_BASE_URL + 'v2' + path, {
    method,
    headers: { authorization: 'Bearer ' + env.APIFY_TOKEN, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  let json;
  try { json = JSON.parse(text); } catch {}
  return { status: answer.status, text, json };
}
const record = (key) => '/key-value-stores/' + env.ACTOR_DEFAULT_KEY_VALUE_STORE_ID + '/records/' + key;

const getValue = async (key) => { const { status, json } = await api(record(key)); return status === 200 ? json : undefined; };
const getInput = () => getValue(env.ACTOR_INPUT_KEY);
const setValue = (key, body) => api(record(key), { method: 'PUT', body });
const pushData = (body) => api('/datasets/' + env.ACTOR_DEFAULT_DATASET_ID + '/items', { method: 'POST', body });
`;

/** An Actor whose program is this script. */
export function script(body: string, files: Record<string, string> = {}): Record<string, string> {
  return {
    'package.json': JSON.stringify({ type: 'module', scripts: { start: 'node main.js' } }),
    'main.js': PRELUDE + body,
    ...files,
  };
}

/** Does what its input says: `{ exit, sleep, push, output, log }`. */
export const OBEDIENT = script(`
const input = (await getInput()) ?? {};
if (input.log) console.log(input.log);
if (input.push) await pushData(input.push);
if (input.output !== undefined) await setValue('OUTPUT', input.output);
if (input.message) await api('/actor-runs/' + env.ACTOR_RUN_ID, { method: 'PUT', body: { statusMessage: input.message, isStatusMessageTerminal: true } });
if (input.sleep) await sleep(input.sleep);
process.exit(input.exit ?? 0);
`);
