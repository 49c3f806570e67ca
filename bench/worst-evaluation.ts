// The most expensive evaluations: hostile patterns and lists in many flags and segments, requested by any caller.

export interface WorstCall {
  what: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const PROJECT = 'worst';
const FLAGS = 50;
const PATTERNS = 1000;

/** Patterns with linear and exponential steps, programs of the maximum size, and patterns that V8 itself never finishes. */
const BOMBS = ['^(a|a)*\\1b', '(a*)*\\1b', '^(a+)+$', '(?:a?){200}b', '(?=(a*)*b)', '(?:[a-z]{40}){100}'];

/** Stores the flags, as a caller who may write them; returns the calls to make, most of them without a token. */
export async function prepareWorstEvaluations(url: string, token: string): Promise<WorstCall[]> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const send = async (method: string, path: string, body: unknown, type = headers['content-type']) => {
    const init = {
      method,
      headers: { ...headers, 'content-type': type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${url}/api/v2/${path}`, init);
    const reply = (await response.json()) as Record<string, unknown>;
    if (!response.ok)
      throw new Error(`${method} ${path} was answered with ${response.status}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const semantic = 'application/json; domain-model=launchdarkly.semanticpatch';
  await send('POST', 'projects', { key: PROJECT, name: PROJECT });
  const { _id } = await send('GET', `projects/${PROJECT}/environments/test`, undefined);
  const clauses = (index: number, op = 'matches') => {
    const values = Array.from({ length: PATTERNS }, (_, n) => `${BOMBS[n % BOMBS.length]}|${index}-${n}`);
    return [{ attribute: 'text', op, values, contextKind: 'user' }];
  };
  for (let index = 0; index < FLAGS; index += 1) {
    const key = `flag-${index}`;
    const availability = { usingEnvironmentId: true, usingMobileKey: true };
    const flag = await send('POST', `flags/${PROJECT}`, {
      key,
      name: key,
      clientSideAvailability: availability,
    });
    const [{ _id: variationId }] = flag['variations'] as [{ _id: string }];
    const addRules = ['matches', 'contains'].map((op) => ({
      kind: 'addRule',
      variationId,
      clauses: clauses(index, op),
    }));
    const instructions = [{ kind: 'turnFlagOn' }, ...addRules];
    await send('PATCH', `flags/${PROJECT}/${key}`, { environmentKey: 'test', instructions }, semantic);
  }
  const text = 'a'.repeat(6000);
  const contextOf = (attribute: unknown) => JSON.stringify({ kind: 'user', key: 'u', text: attribute });
  const inPath = Buffer.from(contextOf(text)).toString('base64url');
  const listOf = (length: number) => contextOf(Array.from({ length }, (_, n) => `${'a'.repeat(80)}${n}`));
  return [
    {
      what: 'one long text',
      method: 'GET',
      path: `/sdk/evalx/${String(_id)}/contexts/${inPath}`,
      headers: {},
    },
    {
      what: 'a list of texts in a body',
      method: 'REPORT',
      path: `/sdk/evalx/${String(_id)}/context`,
      headers: {},
      body: listOf(600),
    },
    {
      what: 'a long list of texts',
      method: 'POST',
      path: `/api/v2/projects/${PROJECT}/environments/test/flags/evaluate`,
      headers,
      body: listOf(10_000),
    },
    {
      what: 'a text of a megabyte',
      method: 'POST',
      path: `/api/v2/projects/${PROJECT}/environments/test/flags/evaluate`,
      headers,
      body: contextOf('a'.repeat(1_000_000)),
    },
  ];
}
