// Actors in other languages, started by the command in their definition: they use the API with what their environment tells.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { createActor } from '../actors.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
});
after(() => server.stop());

const lacks = (program: string) =>
  spawnSync(program, ['--version']).error !== undefined && `needs ${program}`;

const definitionOf = (startCommand: unknown) =>
  JSON.stringify({ actorSpecification: 1, name: 'actor', version: '0.1', startCommand });

/** The output and the log of a run with this input. */
async function run(name: string, files: Record<string, string>, input: object) {
  await createActor(server, files, { name });
  const ended = await client.actor(`admin/${name}`).call(input, { log: null });
  const log = await client.log(ended.id).get();
  assert.equal(ended.status, 'SUCCEEDED', log);
  return { output: (await client.run(ended.id).keyValueStore().getRecord('OUTPUT'))!.value, log: log! };
}

test('a shell script', { skip: lacks('curl') }, async () => {
  const source = `#!/bin/sh
set -e
records="\${APIFY_API_BASE_URL}v2/key-value-stores/$ACTOR_DEFAULT_KEY_VALUE_STORE_ID/records"
authorization="Authorization: Bearer $APIFY_TOKEN"
input=$(curl -sSf -H "$authorization" "$records/$ACTOR_INPUT_KEY")
echo "$1 $input"
curl -sSf -X PUT -H "$authorization" -H 'Content-Type: application/json' -d "{\\"input\\":$input}" "$records/OUTPUT"
`;
  const files = { '.actor/actor.json': definitionOf('sh ./main.sh "the input is"'), 'main.sh': source };
  const { output, log } = await run('in-shell', files, { n: 1 });
  assert.deepEqual(output, { input: { n: 1 } });
  assert.match(log, /Z the input is \{"n":1\}$/m);
});

test('Python with nothing but its standard library', { skip: lacks('python3') }, async () => {
  const source = `import json, os, sys, urllib.request

def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["APIFY_API_BASE_URL"] + "v2/" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + os.environ["APIFY_TOKEN"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return answer.read()

records = "key-value-stores/" + os.environ["ACTOR_DEFAULT_KEY_VALUE_STORE_ID"] + "/records/"
numbers = json.loads(call("GET", records + os.environ["ACTOR_INPUT_KEY"]))["numbers"]
print(sys.argv[1], numbers)
call("PUT", records + "OUTPUT", {"sum": sum(numbers)})
`;
  const files = {
    '.actor/actor.json': definitionOf(['python3', 'main.py', 'adding']),
    'main.py': source,
  };
  const { output, log } = await run('in-python', files, { numbers: [1, 2, 39] });
  assert.deepEqual(output, { sum: 42 });
  assert.match(log, /Z adding \[1, 2, 39\]$/m);
});
