// Instructions that target a context at a value of a flag, or remove the target.
import { areEqual } from '../../kernel/json/json-value.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import type { Flag } from '../feature-flags/flag.ts';

export const SettingPut = Type.Object(
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
