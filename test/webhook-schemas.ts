// Checks payloads of the host's webhooks against the public schemas that their receivers know.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { problemsWith, type Shape } from './host-contract/check-shape.ts';

type Definitions = Record<string, object>;

/** Those that this server tells of. Schemas of all events would take seconds to compile. */
const EVENTS =
  /^(?:ping|push|create|delete|repository|public|fork|star|watch|member|organization|team|team_add|membership|branch_protection_rule|status|code_scanning_alert|installation|installation_repositories|issues|issue_comment|label|milestone|pull_request|pull_request_review|pull_request_review_comment|pull_request_review_thread)\$/;
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

/** Events that the schemas do not have: the members of each action, as the description of the API has them. */
const LINKS: Record<string, readonly string[]> = {
  'sub_issues.sub_issue': ['parent_issue', 'sub_issue', 'sub_issue_repo'],
  'sub_issues.parent_issue': ['sub_issue', 'parent_issue', 'parent_issue_repo'],
  'issue_dependencies.blocked_by': ['blocked_issue', 'blocking_issue', 'blocking_issue_repo'],
  'issue_dependencies.blocking': ['blocking_issue', 'blocked_issue', 'blocked_issue_repo'],
};

/** Undefined for an event that the schemas have. */
function linkShapeOf(event: string, action: string | undefined): Shape | undefined {
  const [one, other, repository] = LINKS[`${event}.${action?.replace(/_(?:added|removed)$/, '')}`] ?? [];
  if (one === undefined) return undefined;
  const properties: Record<string, Shape> = {
    action: { type: 'string' },
    [`${one}_id`]: { type: 'integer' },
    [one]: { $ref: 'issue' },
    [`${other}_id`]: { type: 'integer' },
    [other!]: { $ref: 'issue' },
    [repository!]: { $ref: 'repository' },
    repository: { $ref: 'repository' },
    sender: { $ref: 'simple-user' },
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function checkLink(told: string, payload: unknown, shape: Shape): void {
  const path = new URL('host-contract/shapes.json', import.meta.url);
  const { schemas } = JSON.parse(readFileSync(path, 'utf8')) as { schemas: Record<string, Shape> };
  assert.deepEqual(
    problemsWith(payload, shape, (name) => schemas[name]!),
    [],
    told,
  );
  const more = Object.keys(payload as object).filter((name) => shape.properties![name] === undefined);
  assert.deepEqual(
    more.filter((name) => name !== 'organization' && name !== 'installation'),
    [],
    told,
  );
}

/** Throws where the payload of an event is not as receivers expect it. */
export function checkWebhookPayload(event: string, payload: unknown): void {
  const { action } = payload as { action?: string };
  const link = linkShapeOf(event, action);
  if (link !== undefined) return checkLink(`${event} ${action}`, payload, link);
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
