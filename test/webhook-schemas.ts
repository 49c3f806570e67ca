// Checks payloads of the host's webhooks against the public schemas that their receivers know.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

type Definitions = Record<string, object>;

/** Those that this server tells of. Schemas of all events would take seconds to compile. */
const EVENTS =
  /^(?:ping|push|create|delete|repository|public|fork|star|watch|member|organization|team|team_add|membership|branch_protection_rule|status|code_scanning_alert|installation|installation_repositories)\$/;
const PREFIX = '#/definitions/';
const KEY = 'webhooks';
let loaded: { ajv: Ajv; definitions: Definitions } | undefined;

function load() {
  if (loaded !== undefined) return loaded;
  const path = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas/schema.json');
  const all = (JSON.parse(readFileSync(path, 'utf8')) as { definitions: Definitions }).definitions;
  const definitions: Definitions = {};
  const add = (name: string): void => {
    if (definitions[name] !== undefined) return;
    // The sender of some events is described as an account of the original; here it is an account of this server.
    definitions[name] = all[name === 'github-org' ? 'user' : name]!;
    JSON.stringify(all[name], (key, value: unknown) => {
      if (key === '$ref') add((value as string).slice(PREFIX.length));
      return value;
    });
  };
  for (const name of Object.keys(all)) if (EVENTS.test(name)) add(name);
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  return (loaded = { ajv: ajv.addSchema({ definitions }, KEY), definitions });
}

/** Throws where the payload of an event is not as receivers expect it. */
export function checkWebhookPayload(event: string, payload: unknown): void {
  const { action } = payload as { action?: string };
  const { ajv, definitions } = load();
  const name = [`${event}$${action}`, `${event}$event`].find((one) => Object.hasOwn(definitions, one));
  assert.ok(name !== undefined, `${event} ${action}: no such event is described`);
  const validate = ajv.getSchema(KEY + PREFIX + encodeURIComponent(name))!;
  const isGood = validate(payload);
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  assert.ok(isGood === true, `${name}: ${problems.slice(0, 8).join('; ')}`);
}
