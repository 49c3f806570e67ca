// Greets: reads the input of the run, logs a line, and stores the greeting as the record OUTPUT and as an item of the dataset.
// It needs no packages. What it needs to know of its run is in environment variables.
const {
  APIFY_API_BASE_URL: server,
  APIFY_TOKEN: token,
  ACTOR_DEFAULT_KEY_VALUE_STORE_ID: store,
  ACTOR_DEFAULT_DATASET_ID: dataset,
  ACTOR_INPUT_KEY: inputKey = 'INPUT',
} = process.env;

/**
 * Calls the API of the server that runs this Actor.
 * @param {string} path
 * @param {{ method?: string, body?: unknown }} [options]
 */
async function call(path, { method = 'GET', body } = {}) {
  const response = await fetch(`${server}v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response;
}

const input = await call(`/key-value-stores/${store}/records/${inputKey}`);
const { name = 'World' } = /** @type {{ name?: string }} */ (input.ok ? await input.json() : {});
const greeting = `Hello ${name}!`;
console.log(greeting);
await call(`/key-value-stores/${store}/records/OUTPUT`, { method: 'PUT', body: { greeting } });
await call(`/datasets/${dataset}/items`, {
  method: 'POST',
  body: { greeting, at: new Date().toISOString() },
});
