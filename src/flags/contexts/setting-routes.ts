// Sets or removes the value that a flag serves to one context.
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { changeFlag } from '../feature-flags/change/change-flag.ts';
import { ContextKey, ContextKind } from '../fields.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import { ByFlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import { instructionsFor, SettingPut } from './setting.ts';

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
