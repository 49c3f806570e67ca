// Sets or removes the value that a flag serves to one context, by instructions that target the context.
import { reply, route } from '../../kernel/http/route.ts';
import { Type, PlainText, problem } from '../../kernel/schema/schema.ts';
import { changeFlag } from '../feature-flags/change/change-flag.ts';
import { ContextKey, ContextKind } from '../fields.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import { ByFlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import type { Flag } from '../feature-flags/flag.ts';

const SettingPut = Type.Object(
  {
    setting: Type.Optional(
      Type.Unknown({
        description: 'The value of a variation to serve to the context; null or absent no longer targets it',
      }),
    ),
    comment: Type.Optional(PlainText({ maxLength: 10_000 })),
  },
  { $id: 'ValuePut' },
);

interface TargetRef {
  environmentKey: string;
  contextKind: string;
  contextKey: string;
}

/** Empty if nothing would change. */
export function instructionsFor(flag: Flag, setting: unknown, ref: TargetRef) {
  const { environmentKey, contextKind, contextKey } = ref;
  const { targets, contextTargets } = flag.environments[environmentKey]!;
  const known = [...targets, ...contextTargets].find(
    (target) => target.contextKind === contextKind && target.values.includes(contextKey),
  )?.variation;
  const wanted = setting === undefined || setting === null ? undefined : findVariation(flag, setting);
  if (wanted === known) return [];
  const instruct = (kind: string, variation: number) => ({
    kind,
    variationId: flag.variations[variation]!._id,
    contextKind,
    values: [contextKey],
  });
  return [
    ...(known === undefined ? [] : [instruct('removeTargets', known)]),
    ...(wanted === undefined ? [] : [instruct('addTargets', wanted)]),
  ];
}

function findVariation({ variations }: Flag, setting: unknown): number {
  const index = variations.findIndex(({ value }) => areEqual(value, setting));
  if (index < 0) throw problem('setting', 'is the value of no variation of the flag');
  return index;
}

const putSetting = route(
  {
    id: 'putContextFlagSetting',
    method: 'PUT',
    path: '/projects/{projectKey}/environments/{environmentKey}/contexts/{contextKind}/{contextKey}/flags/{featureFlagKey}',
    summary: 'Target a context at the variation of a flag that has a certain value, or at none',
    access: { action: 'updateTargets' },
    params: Type.Object({
      ...ByFlagInEnvironment.properties,
      contextKind: ContextKind,
      contextKey: ContextKey,
    }),
    body: SettingPut,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { environmentKey, contextKind, contextKey } = call.params;
    const { setting, comment } = call.body;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const { project, flag, resource } = await readFlagInEnvironment(call, db, call.params, 'hold');
      call.requirePermission(resource);
      const instructions = instructionsFor(flag, setting, { environmentKey, contextKind, contextKey });
      if (instructions.length === 0) return;
      const patch = {
        kind: 'semantic' as const,
        environmentKey,
        instructions,
        ...(comment !== undefined && { comment }),
      };
      await changeFlag(tx, { project, flagKey: flag.key }, { patch });
    });
    return reply(204);
  },
);

export const contextSettingRoutes = [putSetting];
