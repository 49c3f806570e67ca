// A project with the mixed flags and segments, stored by the REST API.
import type { FlagData, ServeData } from '../src/flags/evaluation/data.ts';
import { callFlags } from './flag-projects.ts';
import { MIXED_FLAGS, MIXED_SEGMENTS } from './mixed-flags.ts';

const PROJECT = 'mixed';
const ENVIRONMENT = 'test';
const BATCH = 25;

/** Returns the client-side ID and the SDK key of the environment. */
export async function storeMixedProject(url: string): Promise<{ clientId: string; sdkKey: string }> {
  await callFlags(url, 'POST', 'projects', { key: PROJECT, name: PROJECT });
  for (const { key, included, rules } of MIXED_SEGMENTS) {
    await callFlags(url, 'POST', `segments/${PROJECT}/${ENVIRONMENT}`, { key, name: key });
    const patch = replaceAll('', {
      included,
      rules: rules.map(({ clauses, weight }) => ({ clauses, weight })),
    });
    await callFlags(url, 'PATCH', `segments/${PROJECT}/${ENVIRONMENT}/${key}`, patch);
  }
  // Each batch needs only flags of those before it.
  for (let from = 0; from < MIXED_FLAGS.length; from += BATCH)
    await Promise.all(MIXED_FLAGS.slice(from, from + BATCH).map((flag) => storeFlag(url, flag)));
  const environment = await callFlags(url, 'GET', `projects/${PROJECT}/environments/${ENVIRONMENT}`);
  return { clientId: String(environment['_id']), sdkKey: String(environment['apiKey']) };
}

async function storeFlag(url: string, flag: FlagData): Promise<void> {
  const { key, variations, clientSideAvailability } = flag;
  await callFlags(url, 'POST', `flags/${PROJECT}`, {
    key,
    name: key,
    variations: variations.map((value) => ({ value })),
    clientSideAvailability,
    defaults: { onVariation: 0, offVariation: 1 },
  });
  const patch = replaceAll(`/environments/${ENVIRONMENT}`, {
    on: flag.on,
    prerequisites: flag.prerequisites,
    targets: flag.targets.map((target) => ({ ...target, contextKind: 'user' })),
    contextTargets: flag.contextTargets,
    rules: flag.rules.map(({ clauses, ...serve }) => ({ clauses, ...toServe(serve) })),
    fallthrough: toServe(flag.fallthrough),
  });
  await callFlags(url, 'PATCH', `flags/${PROJECT}/${key}`, patch);
}

/** Without the fields that only SDKs get. */
function toServe({ variation, rollout }: ServeData) {
  if (rollout === undefined) return { variation };
  const { kind: _, ...others } = rollout;
  return { rollout: others };
}

/** A JSON Patch. Empty lists are what a new flag or segment has. */
function replaceAll(at: string, members: Record<string, unknown>) {
  return Object.entries(members)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => ({ op: 'replace', path: `${at}/${name}`, value }));
}
